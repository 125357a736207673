//go:build !amd64 || purego

package baseline

func fastestPasses() passes { return passes{moveGo, secondGo} }
