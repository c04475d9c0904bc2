package shelltext

// branch follows the branches of if and case by the words that stand where a
// command begins. What if itself asks is run in any case.
func (p *parser) branch(word string) {
	switch word {
	case "then", "case":
		p.branches++
	case "elif", "fi", "esac":
		p.branches = max(0, p.branches-1)
	}
}

// behindTest tells that the command which a list goes on with runs only where a
// test was passed, or something failed: [ "$a" = y ] && …, cd x || ….
func (p *parser) behindTest(list int) bool {
	last, there := p.last[list]
	if !there {
		return false
	}
	before := p.commands[last]
	switch before.Then {
	case "||":
		return true
	case "&&":
		return before.Conditional || before.tests()
	case "|", "|&":
		return before.Conditional
	}
	return false
}

// tests tells the commands that people ask questions with.
func (c Command) tests() bool {
	if len(c.Words) == 0 {
		return false
	}
	switch c.Words[0].Raw { // a bracket has no Name, as it could begin a pattern
	case "[", "[[", "test", "grep", "egrep", "command", "which", "type", "lspci", "confirm":
		return true
	}
	return false
}
