; Two programs of an A750. Every way in which such images hold addresses of their own is here.
[01520001]
[#.end]
[01520001]
[#jumptbl]
boot_br:
mov $02, #preempted
add $07, $07, #.BV*4
add $06, $03, #jumptbl*4
cwrite $06, [$00 + @MEM_READ_ADDR]
cwrite $07, [$00 + @BV_INSTR_BASE]
swrite $02, [$00 + %PREEMPT_INSTR]
waitin
mov $01, $data
CP_NOP:
(rep)mov $00, $data
call #save
mov $05, #list << 2
waitin
mov $01, $data
save:
ret
nop
preempted:
iret
nop
list:
[00000100]
[00000200]
[00000000]
.align 32
jumptbl:
.jumptbl

.section BV
[01520001]
[#jumptbl]
add $06, $03, #jumptbl*4
cwrite $06, [$00 + @MEM_READ_ADDR]
waitin
mov $01, $data
CP_NOP:
waitin
mov $01, $data
.align 32
jumptbl:
.jumptbl
