; Two programs of an a730: BR starts BV, they meet, and each handles packets of its own.
[01730001]
[#.end]
[01730001]
[#jumptbl]
mov $02, 0x2
cwrite $02, [$00 + @REG_READ_DWORDS]
mov $05, 0x830
cwrite $05, [$00 + @REG_READ_ADDR]
mov $03, $regdata
mov $04, $regdata
mov $05, 0x3
cwrite $05, [$00 + @THREAD_SYNC]
add $05, $03, #.BV*4
cwrite $05, [$00 + @BV_INSTR_BASE]
cwrite $04, [$00 + @BV_INSTR_BASE+0x1]
mov $05, 0x1
cwrite $05, [$00 + @BV_CNTL]
add $03, $03, #jumptbl*4
addhi $04, $04, $00
mov $rem, 0x80
cwrite $03, [$00 + @MEM_READ_ADDR]
cwrite $04, [$00 + @MEM_READ_ADDR+0x1]
cwrite $rem, [$00 + @MEM_READ_DWORDS]
cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]
(rep)cwrite $memdata, [$00 + @PACKET_TABLE_WRITE]
mov $02, 0x1
mov $06, 0x1
; clears this core's bit of what both share, and waits for the other's
lock:
cwrite $02, [$00 + @COPROCESSOR_LOCK]
cread $05, [$00 + @COPROCESSOR_LOCK]
breq $05, 0x0, #lock
nop
cread $05, [$00 + @THREAD_SYNC]
xor $05, $05, $06
cwrite $05, [$00 + @THREAD_SYNC]
cwrite $00, [$00 + @COPROCESSOR_LOCK]
meet:
cread $05, [$00 + @THREAD_SYNC]
brne $05, 0x0, #meet
nop
waitin
mov $01, $data

PKT4:
ushr $usraddr, $01, 0x8
(rep)(xmov1)mov $data, $data
waitin
mov $01, $data

CP_NOP:
(rep)mov $00, $data
waitin
mov $01, $data

; waits until the other core has written a value there
CP_WAIT_REG_EQ:
mov $02, $data
mov $03, $data
poll:
cwrite $02, [$00 + @REG_READ_ADDR]
cmp $04, $regdata, $03
brne $04, b0, #poll
nop
waitin
mov $01, $data

.align 32
jumptbl:
.jumptbl

.section BV
[01730001]
[#jumptbl]
cread $03, [$00 + @BV_INSTR_BASE]
cread $04, [$00 + @BV_INSTR_BASE+0x1]
add $03, $03, #jumptbl*4
addhi $04, $04, $00
mov $rem, 0x80
cwrite $03, [$00 + @MEM_READ_ADDR]
cwrite $04, [$00 + @MEM_READ_ADDR+0x1]
cwrite $rem, [$00 + @MEM_READ_DWORDS]
cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]
(rep)cwrite $memdata, [$00 + @PACKET_TABLE_WRITE]
mov $02, 0x1
mov $06, 0x2
; clears this core's bit of what both share, and waits for the other's
lock:
cwrite $02, [$00 + @COPROCESSOR_LOCK]
cread $05, [$00 + @COPROCESSOR_LOCK]
breq $05, 0x0, #lock
nop
cread $05, [$00 + @THREAD_SYNC]
xor $05, $05, $06
cwrite $05, [$00 + @THREAD_SYNC]
cwrite $00, [$00 + @COPROCESSOR_LOCK]
meet:
cread $05, [$00 + @THREAD_SYNC]
brne $05, 0x0, #meet
nop
waitin
mov $01, $data

PKT4:
ushr $usraddr, $01, 0x8
(rep)(xmov1)mov $data, $data
waitin
mov $01, $data

CP_NOP:
(rep)mov $00, $data
waitin
mov $01, $data

; waits until the other core has written a value there
CP_WAIT_REG_EQ:
mov $02, $data
mov $03, $data
poll:
cwrite $02, [$00 + @REG_READ_ADDR]
cmp $04, $regdata, $03
brne $04, b0, #poll
nop
waitin
mov $01, $data

.align 32
jumptbl:
.jumptbl
