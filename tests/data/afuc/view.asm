; Ways that control takes: loops, conditions with and without an else, delay slots that matter, calls, a table of jumps.
[016ee001]
[#jumptbl]
waitin
mov $01, $data

; a loop that is left in the middle, and a delay slot that changes what was asked
CP_WAIT_REG_MEM:
mov $02, $data
poll:
call #check
nop
breq $03, 0x1, #done
breq $03, 0x2, #done
mov $07, 0x10
delay:
brne $07, 0x0, #delay
sub $07, $07, 0x1
jump #poll
nop
done:
waitin
mov $01, $data

; values that are used once, and both sides of a condition
CP_REG_RMW:
mov $02, $data
ushr $03, $02, 0x8
and $03, $03, 0xff
or $03, $03, 0x100
cmp $04, $03, $02
brne $04, b1, #greater
nop
cwrite $03, [$00 + @REG_WRITE_ADDR]
jump #join
nop
greater:
cwrite $02, [$00 + @REG_WRITE_ADDR]
join:
cwrite $00, [$00 + @REG_WRITE]
jump #end
nop

; repeats, extra moves, memory
CP_MEM_WRITE:
mov $addr, 0xa0 << 24
(rep)(xmov1)mov $data, $data
store $02, [$03 + 0x4]!
load $04, [$03 + 0x8]
add $05, $04, $04
addhi $06, $00, $00
(rep)nop
setsecure $02, #agreed
jump #CP_NOP
nop
agreed:
waitin
mov $01, $data

; through a table
CP_DRAW_AUTO:
and $05, $data, 0x3
shl $05, $05, 0x1
add $05, $05, #table
jump $05
nop
table:
jump #one
nop
jump #two
nop
one:
mov $06, 0x1
two:
mov $07, 0x2

UNKN1:
CP_NOP:
(rep)mov $00, $data
end:
waitin
mov $01, $data

check:
load $03, [$02 + 0x0]
brne $03, b3, #check
nop
ret
and $03, $03, 0xf

jumptbl:
.jumptbl
