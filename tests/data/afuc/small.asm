; One program of an a630: boot, some packets, the table.
[016ee001]
[#jumptbl]
mov $02, 0x1
cwrite $02, [$00 + @REG_READ_DWORDS]
mov $05, 0x830
cwrite $05, [$00 + @REG_READ_ADDR]
mov $03, $regdata
mov $04, $regdata
mov $02, #preempted
swrite $02, [$00 + %PREEMPT_INSTR]
wait:
waitin
mov $01, $data

UNKN0:
UNKN1:
mov $02, 0x1
cwrite $02, [$00 + 0x064]
jump #wait
nop

PKT4:
UNKN2:
UNKN3:
ushr $usraddr, $01, 0x8
(rep)(xmov1)mov $data, $data
waitin
mov $01, $data

CP_NOP:
(rep)mov $00, $data
waitin
mov $01, $data

CP_MEM_WRITE:
mov $02, $data
mov $03, $data
call #write
nop
brne $rem, 0x0, #CP_MEM_WRITE
nop
waitin
mov $01, $data

write:
mov $addr, 0xa0 << 24
mov $data, $02
mov $data, $03
mov $addr, 0xa2 << 24
ret
(rep)mov $data, $data

preempted:
iret
nop

jumptbl:
.jumptbl
