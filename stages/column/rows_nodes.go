package column

// A NodeRow is one region of a node list, as every cohort gives it.
type NodeRow struct {
	Index        int32   `column:"index" doc:"node number, from 1"`
	ID           int32   `column:"id" doc:"value in the label image"`
	Name         string  `column:"name" doc:"name"`
	Abbreviation string  `column:"abbreviation" doc:"short name; the name where there is none"`
	Hemisphere   string  `column:"hemisphere,missing" doc:"L or R"`
	Structure    string  `column:"structure,missing" doc:"what it belongs to: cortex, subcortex, cerebellum, or a network"`
	X            float64 `column:"x,missing" unit:"mm" doc:"centroid, MNI, to the right"`
	Y            float64 `column:"y,missing" unit:"mm" doc:"centroid, MNI, to the front"`
	Z            float64 `column:"z,missing" unit:"mm" doc:"centroid, MNI, upwards"`
	Color        string  `column:"color,missing" doc:"#rrggbb"`
}
