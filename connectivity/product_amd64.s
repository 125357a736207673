#include "textflag.h"

// func tileAddAVX(c *float64, ldc int, a, b *float64, ld, n int)
//
// Two 256-bit registers a row of the tile. Products are rounded (VMULPD) before
// they are added (VADDPD); VFMADD would give other bits than the portable tile.
TEXT ·tileAddAVX(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), DX
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), BX
	MOVQ ld+32(FP), R8
	MOVQ n+40(FP), CX
	SHLQ $3, DX
	SHLQ $3, R8
	LEAQ (DI)(DX*1), R9
	LEAQ (DI)(DX*2), R10
	LEAQ (R9)(DX*2), R11
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD (R9), Y2
	VMOVUPD 32(R9), Y3
	VMOVUPD (R10), Y4
	VMOVUPD 32(R10), Y5
	VMOVUPD (R11), Y6
	VMOVUPD 32(R11), Y7

loop:
	VMOVUPD (BX), Y8
	VMOVUPD 32(BX), Y9
	VBROADCASTSD (SI), Y10
	VMULPD Y8, Y10, Y11
	VMULPD Y9, Y10, Y12
	VADDPD Y11, Y0, Y0
	VADDPD Y12, Y1, Y1
	VBROADCASTSD 8(SI), Y13
	VMULPD Y8, Y13, Y14
	VMULPD Y9, Y13, Y15
	VADDPD Y14, Y2, Y2
	VADDPD Y15, Y3, Y3
	VBROADCASTSD 16(SI), Y10
	VMULPD Y8, Y10, Y11
	VMULPD Y9, Y10, Y12
	VADDPD Y11, Y4, Y4
	VADDPD Y12, Y5, Y5
	VBROADCASTSD 24(SI), Y13
	VMULPD Y8, Y13, Y14
	VMULPD Y9, Y13, Y15
	VADDPD Y14, Y6, Y6
	VADDPD Y15, Y7, Y7
	ADDQ R8, SI
	ADDQ R8, BX
	DECQ CX
	JNZ loop

	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, (R9)
	VMOVUPD Y3, 32(R9)
	VMOVUPD Y4, (R10)
	VMOVUPD Y5, 32(R10)
	VMOVUPD Y6, (R11)
	VMOVUPD Y7, 32(R11)
	VZEROUPPER
	RET

// func axpyAVX(y, x *float64, n int, f float64)
//
// y[i] += f·x[i] for n a multiple of 4, each product rounded before it is added.
TEXT ·axpyAVX(SB), NOSPLIT, $0-32
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD f+24(FP), Y0
	SHRQ $2, CX

axpy:
	VMULPD (SI), Y0, Y1
	VADDPD (DI), Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ axpy
	VZEROUPPER
	RET

// func sumSquaresAVX(v *float64, n int) float64
//
// Eight lanes; n is a multiple of 8, at least 8.
TEXT ·sumSquaresAVX(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), CX
	SHRQ $3, CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1

squares:
	VMOVUPD (SI), Y2
	VMOVUPD 32(SI), Y3
	VMULPD Y2, Y2, Y2
	VMULPD Y3, Y3, Y3
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	ADDQ $64, SI
	DECQ CX
	JNZ squares
	VADDPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VHADDPD X0, X0, X0
	VHADDPD X1, X1, X1
	VADDSD X1, X0, X0
	VMOVSD X0, ret+16(FP)
	VZEROUPPER
	RET

// func sumMagnitudesAVX(v *float64, n int) float64
TEXT ·sumMagnitudesAVX(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), CX
	SHRQ $3, CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	MOVQ $0x7FFFFFFFFFFFFFFF, AX
	MOVQ AX, X4
	VMOVDDUP X4, X4
	VINSERTF128 $1, X4, Y4, Y4

magnitudes:
	VANDPD (SI), Y4, Y2
	VANDPD 32(SI), Y4, Y3
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	ADDQ $64, SI
	DECQ CX
	JNZ magnitudes
	VADDPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VHADDPD X0, X0, X0
	VHADDPD X1, X1, X1
	VADDSD X1, X0, X0
	VMOVSD X0, ret+16(FP)
	VZEROUPPER
	RET

// func addSquaresAVX(y, x *float64, n int)
//
// y[i] += x[i]², n a multiple of 4.
TEXT ·addSquaresAVX(SB), NOSPLIT, $0-24
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	SHRQ $2, CX

addsquares:
	VMOVUPD (SI), Y1
	VMULPD Y1, Y1, Y1
	VADDPD (DI), Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ addsquares
	VZEROUPPER
	RET

// func scaleAVX(y, x, w *float64, n int, f float64)
//
// y[i] = x[i]·(f·w[i]), n a multiple of 4.
TEXT ·scaleAVX(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSD f+32(FP), Y0
	SHRQ $2, CX

scale:
	VMULPD (DX), Y0, Y1
	VMULPD (SI), Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ scale
	VZEROUPPER
	RET

// func clipAVX(v *float64, n int)
//
// v[i] = min(max(v[i], −1), 1), n a multiple of 4.
TEXT ·clipAVX(SB), NOSPLIT, $0-16
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), CX
	SHRQ $2, CX
	MOVQ $0x3FF0000000000000, AX
	MOVQ AX, X1
	VMOVDDUP X1, X1
	VINSERTF128 $1, X1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VSUBPD Y1, Y2, Y2

clip:
	VMOVUPD (SI), Y0
	VMINPD Y1, Y0, Y0
	VMAXPD Y2, Y0, Y0
	VMOVUPD Y0, (SI)
	ADDQ $32, SI
	DECQ CX
	JNZ clip
	VZEROUPPER
	RET
