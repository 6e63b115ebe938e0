; Firmware of an a630 for what run.asm leaves out: draw states, preemption with its timer, performance counters,
; conditions, and a buffer that leads to another.
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

PKT4:
ushr $usraddr, $01, 0x8
(rep)(xmov1)mov $data, $data
waitin
mov $01, $data

CP_NOP:
(rep)(xmov3)mov $00, $data
waitin
mov $01, $data

CP_INDIRECT_BUFFER:
add $12, $12, 0x1
mov $02, $data
mov $03, $data
mov $04, $data
shl $05, $12, 0x2
cwrite $02, [$05 + 0x00c]
cwrite $03, [$05 + 0x00d]
cwrite $04, [$05 + 0x00e]
cwrite $12, [$00 + @IB_LEVEL]
waitin
mov $01, $data

; a value or the time for memory
CP_EVENT_WRITE:
mov $04, $data
ushr $02, $04, 0x1d
and $02, $02, 0x6
mov $addr, 0xe7 << 24
or $data, $04, 0x5
mov $addr, 0xe8 << 24
(xmov1)mov $data, $data
mov $data, $02
mov $data, $data
waitin
mov $01, $data

; the word after it is the end of its own buffer
CP_INDIRECT_BUFFER_CHAIN:
mov $02, $data
mov $03, $data
mov $04, $data
shl $05, $12, 0x2
cwrite $02, [$05 + 0x00c]
cwrite $03, [$05 + 0x00d]
cwrite $04, [$05 + 0x00e]
mov $00, $data
waitin
mov $01, $data

IN_IB_END:
breq $12, b5, #group_done
nop
sub $12, $12, 0x1
cwrite $12, [$00 + @IB_LEVEL]
waitin
mov $01, $data

; the draw-state groups that the marker wants, then the draw: GPU register 0x9000
CP_SET_DRAW_STATE:
(rep)(sds2)cwrite $data, [$00 + @DRAW_STATE_SET_HDR]
waitin
mov $01, $data

CP_SET_MARKER:
mov $10, $data
waitin
mov $01, $data

CP_DRAW_AUTO:
mov $07, $data
cread $0f, [$00 + @DRAW_STATE_ACTIVE_BITMASK]
walk:
breq $0f, 0x0, #walked
sub $04, $00, $0f
and $04, $04, $0f
msb $03, $04
cwrite $03, [$00 + @DRAW_STATE_SEL]
cread $08, [$00 + @DRAW_STATE_HDR]
ushr $08, $08, 0x10
and $08, $08, $10
breq $08, 0x0, #walk
xor $0f, $0f, $04
jump #walk
cwrite $03, [$00 + 0x050]
walked:
cwrite $00, [$00 + @DRAW_STATE_ACTIVE_BITMASK]
cread $02, [$00 + 0x052]
breq $02, 0x0, #draw
or $12, $12, 0x20
mov $02, 0x3
cwrite $02, [$00 + @IB_LEVEL]
next_group:
waitin
mov $01, $data
group_done:
cread $02, [$00 + 0x052]
brne $02, 0x0, #next_group
nop
draw:
and $12, $12, 0x7
cwrite $12, [$00 + @IB_LEVEL]
mov $addr, 0x9000
mov $data, $07
waitin
mov $01, $data

; skips so many words unless memory is not 0
CP_COND_EXEC:
mov $02, $data
cwrite $data, [$00 + @LOAD_STORE_HI]
load $03, [$02 + 0x0]
brne $03, 0x0, #executed
mov $rem, $data
(rep)mov $00, $data
executed:
waitin
mov $01, $data

; the payload says whether preemption is allowed
CP_CONTEXT_SWITCH_YIELD:
cwrite $data, [$00 + @PREEMPT_ENABLE]
mov $02, 0x1
cwrite $02, [$00 + @PREEMPT_TRIGGER]
nop
nop
mov $addr, 0x9001
mov $data, $0a
waitin
mov $01, $data

IN_PREEMPT:
preempted:
cwrite $02, [$00 + 0x120]
cread $02, [$00 + @PREEMPT_ENABLE]
brne $02, b0, #leave
mov $02, 0x1
cwrite $00, [$00 + @PREEMPTION_TIMER]
cwrite $02, [$00 + @PREEMPTION_TIMER_CNTL]
mov $02, 0x9
cwrite $02, [$00 + @PERFCNTR_CNTL]
nop
mov $02, 0xc
cwrite $02, [$00 + @PERFCNTR_CNTL]
cwrite $00, [$00 + @PREEMPTION_TIMER_CNTL]
cread $0b, [$00 + @PREEMPTION_TIMER]
cread $0c, [$00 + @CONTEXT_SWITCH_CNTL]
cwrite $00, [$00 + @CONTEXT_SWITCH_CNTL]
mov $02, 0x9002
cwrite $02, [$00 + @REG_WRITE_ADDR]
cwrite $0b, [$00 + @REG_WRITE]
cwrite $0c, [$00 + @REG_WRITE]
add $0a, $0a, 0x1
leave:
iret
cread $02, [$00 + 0x120]

jumptbl:
.jumptbl
