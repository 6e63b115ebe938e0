; Every kind of line of the text form, as the printer writes it.
.gpu t860
.stage fragment
.work 8
.uniforms 4
.entry main

{
  LD_VARY.f32 R0.xyzw, 0.x + 0x1, 0.x
  LD_VARY.u32.flat R1.~x~~, 0.x + 0x2, 0.x
}
main:
{
  LD_VARY.f16.noperspective.centroid.nosample.div_w R2.xy~~, AL0.x << 1 - 0x3, 0.x
  LD_ATTR.f32.a32.secondary.vertex R3.xyzw, 0.x + 0x1, AL1.y + 0x2
}
{
  LD.128 R4.xyzw, LOCAL_STORAGE_PTR.u64.x + AL1.s32.y << 4 - 0x10
  ST.32 AL0.yyyy, 0 + AL0.u64.z
}
{
  LD_UBO.64.bswap8 R5.~xy~, ubo[AL0.x], AL1.z << 3 - 0x8
  LD_SPECIAL.u32 R6.x~~~, 0.x + 0x61
}
{
  AADD.32 R7.x~~~, 0 + AL0.u64.x + 0x10, AL1.y
  CMPXCHG.64 AL0.~~~~, LOCAL_STORAGE_PTR.u64.z + 0x8, AL0.x, AL1.x
}
{
  CUBEMAP.f32 AT0.xy~~, AL0
  LDST_MOV R0.~~z~, GROUP_ID.xxxy
}
{
  LD_IMAGE.f32 R0.xyzw, 0.x + 0x1, AL0.u64.x
  ST_IMAGE.u32 AL1, 0.x, AL0.u32.z
}
{
  LD_TILEBUFFER.raw R0.xyzw, rt[depth], sample[AL0.x]
  ST_TILEBUFFER.f16 AL0.xxyy, rt[1], sample[3]
}
{
  UNPACK.f32 R0.xyzw, AL0, 0x123456
  TRAP 0x12
}
{
  LEA AL0.xy~~, PC_SP.u64.z + 0x20
  LDST_PERSPECTIVE_DIV_W.f16 R1.xyzw, AL1.y
}
{
  NOP
  ST_VARY.f32.a32 AL0, 0.x, 0.x
}
{
  TEX.vtx.shadow.cube.skip.ooo3 TA1.ef.f16.clamp_0_1, texture[AT0.x.32], fsampler[AT1.e.16].wzyx, AT1.efgh.16, offset AT0.xyzz.32, lod + AT0.w.32
}
{
  TEX_FETCH.3d TA0.i32, texture65535, isampler2, AT0.32, offset <1, -1, -8>, lod = 255
}
{
  TEX_GRAD.gather_x.1d.kill TA0.f32, texture0, fsampler0, AT0.xyxx.32, lod = -2.5
}
{
  DERIVATIVE.y.2d TA0.xy.f32, texture0, fsampler0, AT0.32
}
{
  BARRIER
}
{
  vmul.FMUL.f32 TMP0.xy.clamp_m1_1, R1.wz.abs.neg, U0.ef.widen
  sadd.FCMP.lt.i32 COND.w, R0.x, K.z
  vadd.ADD.i32 R2.xyz, R3.xyz.x2, #-128 !src1.mod=2
  smul.CSEL.scalar.i32 R4.e.keephi, R5.x, R6.g.zext
  lut.FRSQRT.f32 R7.h.shrink, TMP0.x, _
  fconst 0.1, nan, -inf, 0x7FC00001
}
{
  vmul.MUL.i64 R0, R1, R2.zz.sext
  vadd.FADD.f16 R3.yweg, R4.gehf, K.eexx.neg
  hconst 0.5, 65504, -0, 1, 2, 3, 4, 5
}
{
  vmul.ADD.i8 R2.xyzwefgh, R0.zwxyghef, R1
  vadd.MIN.u16 R3.xyzw.usat, R4.ijkl.replicate, R5.xyzw.lshift
  lut.op_18.f64 R6.y, R7.[xz], K.X
  dconst 0.1, 1e+300
}
{
  smul.MOV.i32 COND.w, _, R1.x
  br.cond.true back
}
{
  vmul.MOV.i32 R0, _, R0
  brx.call.cond.lut8888 main
}
{
  vmul.MOV.i32 R0, _, R0
  brx.discard.false
}
back:
{
  vmul.MOV.i32 R0, _, R0
  br.write.always retry
  break
}
retry:
{
  vmul.MOV.i32 R0, _, R0
  br.write.always retry
}
{ !unknown_8=0x1FF !padding=0x1
  vadd.FMOV.f32 R0.~, R1, #inf
  br.uncond end !call_mode=0
  break
}
.quad 00000007 11111111 22222222 33333333
end:
.byte 0x01, 0xFF
