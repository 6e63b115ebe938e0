; Firmware of an a630 that does what devices are for: it loads its packet table, follows indirect buffers, writes
; registers and memory, and keeps draw states.
[016ee001]
[#jumptbl]
mov $02, 0x2
cwrite $02, [$00 + @REG_READ_DWORDS]
mov $05, 0x830
cwrite $05, [$00 + @REG_READ_ADDR]
mov $03, $regdata
mov $04, $regdata
cwrite $03, [$00 + @MEM_READ_ADDR]
cwrite $04, [$00 + @MEM_READ_ADDR+0x1]
cwrite $02, [$00 + @MEM_READ_DWORDS]
mov $05, $memdata
and $05, $memdata, 0xfff
shl $05, $05, 0x2
add $03, $03, $05
addhi $04, $04, $00
mov $rem, 0x80
cwrite $03, [$00 + @MEM_READ_ADDR]
cwrite $04, [$00 + @MEM_READ_ADDR+0x1]
cwrite $rem, [$00 + @MEM_READ_DWORDS]
cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]
(rep)cwrite $memdata, [$00 + @PACKET_TABLE_WRITE]
mov $02, #preempted
swrite $02, [$00 + %PREEMPT_INSTR]
waitin
mov $01, $data

UNKN0:
UNKN1:
mov $02, 0x1
cwrite $02, [$00 + 0x064]
jump #dead
dead:
nop
jump #dead
nop

PKT4:
ushr $usraddr, $01, 0x8
(rep)(xmov1)mov $data, $data
waitin
mov $01, $data

CP_NOP:
(rep)(xmov3)mov $00, $data
waitin
mov $01, $data

CP_CONTEXT_REG_BUNCH:
mov $02, 0x1 << 18
(rep)(xmov3)or $usraddr, $data, $02
waitin
mov $01, $data

CP_MEM_WRITE:
mov $addr, 0xa0 << 24
mov $data, $data
mov $data, $data
mov $addr, 0xa204 << 16
(rep)mov $data, $data
waitin
mov $01, $data

CP_INDIRECT_BUFFER:
add $12, $12, 0x1
shl $05, $12, 0x2
cwrite $data, [$05 + 0x00c]
cwrite $data, [$05 + 0x00d]
cwrite $data, [$05 + 0x00e]
cwrite $12, [$00 + @IB_LEVEL]
waitin
mov $01, $data

IN_IB_END:
sub $12, $12, 0x1
cwrite $12, [$00 + @IB_LEVEL]
waitin
mov $01, $data

CP_SET_DRAW_STATE:
(rep)(sds2)cwrite $data, [$00 + @DRAW_STATE_SET_HDR]
waitin
mov $01, $data

; polls memory until it is not 0
CP_WAIT_REG_MEM:
mov $02, $data
mov $03, $data
(rep)mov $00, $data
cwrite $03, [$00 + @LOAD_STORE_HI]
poll:
load $04, [$02 + 0x0]
breq $04, 0x0, #poll
nop
waitin
mov $01, $data

preempted:
iret
nop

jumptbl:
.jumptbl
