package prepare

import (
	"fmt"
	"slices"
	"sync"

	"prgnn/artifacts"
	"prgnn/connectivity"
	"prgnn/connectivity/damage"
)

// judged is what a series shows before it is denoised.
type judged struct {
	far   damage.Far
	facts damage.Facts
}

// lately remembers the last of them: the universes of a multiverse denoise one series in many ways, one after the
// other, and to judge it takes longer than to denoise it.
var lately struct {
	sync.Mutex
	of   map[artifacts.Digest]judged
	last []artifacts.Digest
}

// judge finds what x, T×N, shows in the used volumes; x is draw 0 of series.
func judge(series artifacts.Digest, x connectivity.Matrix, status []connectivity.Status, used []bool,
	tr float64) judged {
	const most = 64
	key := artifacts.DigestOf(fmt.Appendf(nil, "%s %v %v %b", series, status, used, tr))
	lately.Lock()
	j, known := lately.of[key]
	lately.Unlock()
	if known {
		return j
	}
	j = judged{damage.FarVolumes(x, status, used), damage.FactsOf(x, status, max(slices.Index(used, true), 0), tr)}
	lately.Lock()
	defer lately.Unlock()
	if _, known := lately.of[key]; known { // by another task meanwhile
		return j
	}
	if len(lately.last) == most {
		delete(lately.of, lately.last[0])
		lately.last = lately.last[1:]
	}
	if lately.of == nil {
		lately.of = map[artifacts.Digest]judged{}
	}
	lately.of[key], lately.last = j, append(lately.last, key)
	return j
}
