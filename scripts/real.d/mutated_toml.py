#!/usr/bin/env python3
"""Holds lint's reader of TOML to Python's own.

mutated_toml.py write DIR    writes 1,500 projects, most of them damaged in one or two places
mutated_toml.py judge DIR    reads lint's JSON from standard input and compares it with tomllib

What tomllib reads lint must read; of what tomllib refuses lint may let some numbers and keys pass.
"""
import json
import os
import random
import sys
import tomllib

BASE = '''[project]
name = "x" # why
dependencies = ["torch==2.9.1", 'einops; sys_platform == "linux"',
  "numba>=0.6", # and why
]
[project.optional-dependencies]
rocm = ["torch==2.9.1+rocm6.4"]
[tool.poetry.dependencies]
python = "^3.11"
torch = {version = "^2.9", source = "pytorch-rocm", extras = ["a"]}
[[tool.poetry.source]]
name = "pytorch-rocm"
url = """https://example.org/"""
priority = "explicit"
[tool.uv.sources]
torch = [{index = "a", marker = "x"}, {index = 'b'}]
[[tool.uv.index]]
name = "a\\u00e9\\""
explicit = true
n = 1_000.5e3
d = 1979-05-27T07:32:00Z
[tool."with a.dot".'x']
long = \'\'\'
one 'two' \\
\'\'\'
'''


def damaged(text):
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        at = random.randrange(len(text))
        kind = random.random()
        if kind < 0.4:
            text = text[:at] + text[at + 1:]
        elif kind < 0.7:
            text = text[:at] + random.choice('"\'[]{}=,.#\n \\') + text[at:]
        else:
            text = text[:at] + text[at + random.randrange(1, 12):]
    return text


def write(folder):
    random.seed(7)
    for i in range(1500):
        os.makedirs(f"{folder}/{i}")
        with open(f"{folder}/{i}/pyproject.toml", "w", newline="", encoding="utf-8") as f:
            f.write(damaged(BASE))


def judge(folder):
    refused = {f["subject"].split("/")[0] for f in json.load(sys.stdin)["findings"] if f["check"] == "project/readable" and f["verdict"] == "unknown"}
    wrong, broken, passed = [], 0, 0
    for name in os.listdir(folder):
        with open(f"{folder}/{name}/pyproject.toml", newline="", encoding="utf-8") as f:
            text = f.read()
        try:
            tomllib.loads(text)
            if name in refused:
                wrong.append(name)
        except tomllib.TOMLDecodeError:
            broken += 1
            passed += name not in refused
    print(f"{len(wrong)} wrong, {'few' if broken > 300 and passed * 20 < broken else passed} of the broken ones pass", *wrong)


{"write": write, "judge": judge}[sys.argv[1]](sys.argv[2])
