// Command benchlog writes what scripts/bench-explain needs: a large log as a training run leaves it, and the words that
// explain looks for, one a line.
//
//	go run ./scripts/_benchlog BYTES LOG WORDS
package main

import (
	"bufio"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// forms are lines of ordinary logs. The letters # become digits. They speak of GPUs, errors and libraries as healthy
// programs do, so that a search is not made easy by never coming near a word.
var forms = []string{
	"2026-##-## ##:##:##,### INFO trainer: epoch # step ##### loss 0.#### grad_norm #.### lr #.#e-05 tokens/s ##### mem ##.# GiB",
	"[rank#]: DataLoader worker # fetched batch #### in 0.### s from /data/shards/train-#####-of-#####.tar",
	"INFO ##:##:## [metrics.py:###] Avg prompt throughput: ###.# tokens/s, Avg generation throughput: ##.# tokens/s, Running: # reqs",
	"[ ####.######] amdgpu 0000:##:00.0: amdgpu: SMU driver if version not matched, fw version = 0x########",
	"[ ####.######] usb #-#: new high-speed USB device number # using xhci_hcd",
	"#### #### node## kernel: EXT4-fs (nvme#n#p#): re-mounted. Quota mode: none.",
	"Requirement already satisfied: numpy<#,>=#.## in ./venv/lib/python3.##/site-packages (from torch==#.#.#+rocm#.#) (#.##.#)",
	"  ##%|#########         | ####/##### [##:##<##:##, #.##it/s, loss=0.###]",
	"DEBUG urllib3.connectionpool: https://example.org:443 \"GET /api/models/revision/main HTTP/1.1\" 200 None",
	"{\"level\":\"info\",\"ts\":##########.###,\"msg\":\"request finished\",\"path\":\"/v1/chat/completions\",\"status\":200,\"duration_ms\":###}",
	"llama_model_loader: - tensor ####: blk.##.ffn_down.weight q4_K [ ####, ####, #, # ]",
	"MIOpen(HIP): Info [FindSolution] Perf Db: record found for: ConvBinWinogradRxS",
	"WARNING: retrying connection to worker-## after error: timed out (attempt # of ##)",
	"hip_runtime: hipMemcpyAsync #### bytes on stream 0x############ took #.## ms",
	"eval: accuracy 0.#### precision 0.#### recall 0.#### f1 0.#### on ##### examples, device cuda:#",
}

const failure = `RuntimeError: HIP error: invalid device function
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	size, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	if err := writeWords(args[2]); err != nil {
		return err
	}
	f, err := os.Create(args[1])
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	random := rand.New(rand.NewPCG(7, 11))
	for written := 0; written < size; {
		line := []byte(forms[random.IntN(len(forms))] + "\n")
		for i, c := range line {
			if c == '#' {
				line[i] = byte('0' + random.IntN(10))
			}
		}
		n, err := w.Write(line)
		if err != nil {
			return err
		}
		written += n
	}
	if _, err := w.WriteString(failure); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func writeWords(name string) error {
	c, err := cause.Embedded()
	if err != nil {
		return err
	}
	var words []string
	for _, s := range c.Signatures {
		words = append(words, s.Anchors...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	fmt.Printf("%d signatures of %d causes, %d words\n", len(c.Signatures), len(c.Causes), len(words))
	return os.WriteFile(name, []byte(strings.Join(words, "\n")+"\n"), 0o644)
}
