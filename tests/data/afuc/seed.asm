; What "Adreno Five Microcode" writes as code. Labels that it leaves to the reader are added.
 add $02, $03, 0x1234 ; src2 is immed
 add $02, $03, $04 ; src2 is reg
 not $02, $03
 not $02, 0x1234
somelabel:
 breq $02, b3, #somelabel ; branch if src & (1 << 3)
 breq $02, 0x3, #somelabel ; branch if src == 3
 cmp $04, $02, $03
 breq $04, b1, #somelabel
 addhi $02, $03, $04
 sub $02, $03, $04
 subhi $02, $03, $04
 and $02, $03, $04
 or $02, $03, $04
 xor $02, $03, $04
 shl $02, $03, $04
 ushr $02, $03, $04
 ishr $02, $03, $04
 rot $02, $03, $04
 mul8 $02, $03, $04
 min $02, $03, $04
 max $02, $03, $04
 comp $02, $03, $04
 ; load CP_INDIRECT_BUFFER parameters from cmdstream:
 mov $02, $data ; low 32b of IB target address
 mov $03, $data ; high 32b of IB target
 mov $04, $data ; IB size in dwords
 ; sanity check # of dwords:
 breq $04, 0x0, #l23 (#69, 04a2)
 and $05, $18, 0x0003
 shl $05, $05, 0x0002
 cwrite $02, [$05 + 0x0b0], 0x8
 cwrite $03, [$05 + 0x0b1], 0x8
 cwrite $04, [$05 + 0x0b2], 0x8
l23:
 mov $addr, CP_SCRATCH_REG[0x2] ; set register to write
 mov $data, $03 ; CP_SCRATCH_REG[0x2]
 mov $data, $04 ; CP_SCRATCH_REG[0x3]
 mov $addr, CP_SCRATCH_REG[0x2]
 mov $03, $addr
 mov $04, $addr
 or $addr, $17, VFD_INDEX_OFFSET
 mov $data, $03
 mov $0c, CP_SCRATCH_REG[0x7]
 mov $02, 0x789a ; value
 cwrite $0c, [$00 + 0x010], 0x8
 cwrite $02, [$00 + 0x011], 0x8
 ; store 64b value in $04+$05 to 64b address in $02+$03
 mov $addr, CP_ME_NRT_ADDR_LO
 mov $data, $02
 mov $data, $03
 mov $addr, CP_ME_NRT_DATA
 mov $data, $04
 mov $data, $05
 ; load 64b value from address in $02+$03 into $04+$05
 mov $addr, CP_ME_NRT_ADDR_LO
 mov $data, $02
 mov $data, $03
 mov $04, $addr
 mov $05, $addr
 ; CP_DRAW_INDIRECT
 mov $07, 0x0004 ; # of dwords to read from draw-indirect buffer
 cwrite $data, [$00 + 0x0b8], 0x8
 cwrite $data, [$00 + 0x0b9], 0x8
 cwrite $07, [$00 + 0x0ba], 0x8
 mov $09, $addr
 mov $07, $addr
 cread $12, [$00 + 0x040], 0x8
 mov $data, $addr
