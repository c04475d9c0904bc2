package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
)

func (a *App) snapshot() *cobra.Command {
	var output, root string
	var programs []string
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Record this machine, so that another can judge it",
		Long: `snapshot asks everything that doctor asks and writes questions and answers into one
text file. Names of people and hosts, serial numbers, unique ids and MAC addresses
are replaced by aliases; read the file before you hand it on.

  rocsmith doctor --from FILE

judges it anywhere, and finds what doctor finds here.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			reader, err := a.examined(doctorCall{root: root})
			if err != nil {
				return err
			}
			return a.save(output, job.Record(reader, a.Version, a.Now(), a.programs(programs, root == "")...))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output (-)")
	cmd.Flags().StringVar(&root, "root", "", "record the system below `DIR`")
	cmd.Flags().StringSliceVar(&programs, "program", nil, "record what the loader needs for `FILE`, too (may be repeated)")
	return cmd
}

func (a *App) save(file string, s *host.Snapshot) error {
	if file == "" || file == "-" {
		if _, err := s.WriteTo(a.Stdout); err != nil {
			return fmt.Errorf("write the snapshot: %w", err)
		}
		return nil
	}
	if err := replaceable(file); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil {
		return fmt.Errorf("write the snapshot: %w", err)
	}
	if err := writeWhole(file, b.Bytes()); err != nil {
		return fmt.Errorf("write the snapshot %s: %w", file, err)
	}
	_, err := fmt.Fprintf(a.Stderr, "wrote %s (%d KiB); judge it with: rocsmith doctor --from %s\n", file, (b.Len()+1023)/1024, file)
	return err
}

// replaceable refuses to overwrite what is not an older snapshot.
func replaceable(file string) error {
	st, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		if dir, err := os.Stat(filepath.Dir(file)); err != nil || !dir.IsDir() {
			return fmt.Errorf("there is no folder %s to write into", filepath.Dir(file))
		}
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", file, err)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s is not a file that can be written; choose another name", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("look at %s: %w", file, err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(snapshotMagic))
	n, _ := io.ReadFull(f, head)
	if n > 0 && string(head[:n]) != snapshotMagic {
		return fmt.Errorf("%s exists and is no snapshot; choose another name", file)
	}
	return nil
}

// writeWhole leaves either the old file or the whole new one.
func writeWhole(file string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".rocsmith-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if _, err := tmp.Write(data); err != nil {
		_ = tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

const snapshotMagic = "rocsmith snapshot "
