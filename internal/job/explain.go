package job

import (
	"context"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/explain"
)

// An ExplainRequest is what somebody wants explained.
type ExplainRequest struct {
	Inputs       []explain.Input
	Catalogue    cause.Catalogue
	Surroundings explain.Surroundings
	Progress     func(read int64)
}

// Explain reads logs and says what went wrong.
func Explain(ctx context.Context, q ExplainRequest) (explain.Log, explain.Explanation, error) {
	log, err := explain.Read(ctx, q.Inputs, q.Catalogue, q.Progress)
	if err != nil {
		return log, explain.Explanation{}, err
	}
	e, err := explain.Judge(log, q.Catalogue, q.Surroundings)
	return log, e, err
}
