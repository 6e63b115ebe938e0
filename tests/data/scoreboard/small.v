// Set/reset storage: q sees set and reset of this clock, qlq only set, qi neither.
module sb_sr_1 (
  input  wire clk,
  input  wire rst,
  input  wire [0:0] s,
  input  wire [0:0] r,
  output wire [0:0] q,
  output wire [0:0] qi,
  output wire [0:0] qlq
);
  reg [0:0] state;
  always @(posedge clk)
    if (rst) state <= {1{1'b0}};
    else state <= q;
  assign q = (state & ~r) | s;
  assign qi = state;
  assign qlq = state | s;
endmodule

// Set/reset storage: q sees set and reset of this clock, qlq only set, qi neither.
module sb_sr_2 (
  input  wire clk,
  input  wire rst,
  input  wire [1:0] s,
  input  wire [1:0] r,
  output wire [1:0] q,
  output wire [1:0] qi,
  output wire [1:0] qlq
);
  reg [1:0] state;
  always @(posedge clk)
    if (rst) state <= {2{1'b0}};
    else state <= q;
  assign q = (state & ~r) | s;
  assign qi = state;
  assign qlq = state | s;
endmodule

// Units, rows and lines for what is issued.
module sb_issue (
  input  wire [1:0] busy,
  input  wire [0:0] blocked,
  input  wire op0_valid,
  input  wire [0:0] op0_group,
  input  wire [0:0] op0_src0_reg,
  input  wire [0:0] op0_src0_lanes_0,
  output wire [1:0] src0_0_0,
  input  wire [0:0] op0_src1_reg,
  input  wire [0:0] op0_src1_lanes_0,
  output wire [1:0] src1_0_0,
  input  wire [0:0] op0_dst0_reg,
  input  wire [0:0] op0_dst0_lanes_0,
  output wire [1:0] dst0_0_0,
  output wire [1:0] issue_0_0,
  output wire [0:0] accept
);
  wire [1:0] taken_0 = busy;
  wire [1:0] free_0 = ~taken_0 & (({2{op0_group[0]}} & 2'd3));
  wire [1:0] candidates_0 = free_0;
  wire [1:0] pick_0 = candidates_0 & (~candidates_0 + 2'd1);
  wire [1:0] is_src0_0 = {{1{1'b0}}, 1'b1} << op0_src0_reg;
  assign src0_0_0 = {{1{is_src0_0[1]}} & op0_src0_lanes_0, {1{is_src0_0[0]}} & op0_src0_lanes_0};
  wire [1:0] is_src1_0 = {{1{1'b0}}, 1'b1} << op0_src1_reg;
  assign src1_0_0 = {{1{is_src1_0[1]}} & op0_src1_lanes_0, {1{is_src1_0[0]}} & op0_src1_lanes_0};
  wire [1:0] is_dst0_0 = {{1{1'b0}}, 1'b1} << op0_dst0_reg;
  assign dst0_0_0 = {{1{is_dst0_0[1]}} & op0_dst0_lanes_0, {1{is_dst0_0[0]}} & op0_dst0_lanes_0};
  wire fit_0 = op0_valid & (|candidates_0) & ~blocked[0];
  wire commit_0 = fit_0;
  assign issue_0_0 = pick_0 & {2{commit_0}};
  assign accept = {commit_0};
endmodule

// Which registers one unit still has to read and write.
module sb_fureg_0_row (
  input  wire clk,
  input  wire rst,
  input  wire die,
  input  wire [0:0] go_rd,
  input  wire [0:0] go_wr,
  input  wire issue_0_0,
  input  wire [1:0] src0_0_0,
  input  wire [1:0] src1_0_0,
  input  wire [1:0] dst0_0_0,
  input  wire [1:0] blocked_src_all,
  input  wire [1:0] blocked_dst_all,
  output wire [0:0] rd_pend_all,
  output wire [0:0] wr_pend_all,
  output wire [1:0] pending_rd,
  output wire [1:0] pending_wr,
  output wire [1:0] use_rd0,
  output wire [1:0] use_rd1,
  output wire [1:0] use_wr0
);
  wire [1:0] set_src0 = ({2{issue_0_0}} & src0_0_0);
  wire [1:0] s0_q;
  wire [1:0] unused_s0_qi;
  wire [1:0] s0_qlq;
  sb_sr_2 s0 (.clk(clk), .rst(rst), .s(set_src0), .r({2{go_rd[0] | die}}), .q(s0_q), .qi(unused_s0_qi), .qlq(s0_qlq));
  wire [1:0] set_src1 = ({2{issue_0_0}} & src1_0_0);
  wire [1:0] s1_q;
  wire [1:0] unused_s1_qi;
  wire [1:0] s1_qlq;
  sb_sr_2 s1 (.clk(clk), .rst(rst), .s(set_src1), .r({2{go_rd[0] | die}}), .q(s1_q), .qi(unused_s1_qi), .qlq(s1_qlq));
  wire [1:0] set_dst0 = ({2{issue_0_0}} & dst0_0_0);
  wire [1:0] d0_q;
  wire [1:0] unused_d0_qi;
  wire [1:0] d0_qlq;
  sb_sr_2 d0 (.clk(clk), .rst(rst), .s(set_dst0), .r({2{go_wr[0] | die}}), .q(d0_q), .qi(unused_d0_qi), .qlq(d0_qlq));
  assign pending_rd = s0_qlq | s1_qlq;
  assign pending_wr = d0_qlq;
  assign use_rd0 = s0_qlq & {2{go_rd[0]}};
  assign use_rd1 = s1_qlq & {2{go_rd[0]}};
  assign use_wr0 = d0_qlq & {2{go_wr[0]}};
  assign rd_pend_all[0] = |((s0_q | s1_q) & blocked_dst_all);
  assign wr_pend_all[0] = |((d0_q) & blocked_src_all);
endmodule

// FU-Reg matrix of group "alu": a row for each unit.
module sb_fureg_0 (
  input  wire clk,
  input  wire rst,
  input  wire [1:0] die,
  input  wire [1:0] go_rd0,
  input  wire [1:0] go_wr0,
  input  wire [1:0] issue_0_0,
  output wire [1:0] rd_pend0_all,
  output wire [1:0] wr_pend0_all,
  input  wire [1:0] src0_0_0,
  input  wire [1:0] src1_0_0,
  input  wire [1:0] dst0_0_0,
  input  wire [1:0] blocked_src_all,
  input  wire [1:0] blocked_dst_all,
  output wire [1:0] pending_rd,
  output wire [1:0] pending_wr,
  output wire [1:0] use_rd0,
  output wire [1:0] use_rd1,
  output wire [1:0] use_wr0
);
  wire [1:0] pending_rd_0;
  wire [1:0] pending_wr_0;
  wire [1:0] use_rd0_0;
  wire [1:0] use_rd1_0;
  wire [1:0] use_wr0_0;
  sb_fureg_0_row row_0 (.clk(clk), .rst(rst), .die(die[0]), .go_rd({go_rd0[0]}), .go_wr({go_wr0[0]}), .issue_0_0(issue_0_0[0]), .src0_0_0(src0_0_0), .src1_0_0(src1_0_0), .dst0_0_0(dst0_0_0), .blocked_src_all(blocked_src_all), .blocked_dst_all(blocked_dst_all), .rd_pend_all({rd_pend0_all[0]}), .wr_pend_all({wr_pend0_all[0]}), .pending_rd(pending_rd_0), .pending_wr(pending_wr_0), .use_rd0(use_rd0_0), .use_rd1(use_rd1_0), .use_wr0(use_wr0_0));
  wire [1:0] pending_rd_1;
  wire [1:0] pending_wr_1;
  wire [1:0] use_rd0_1;
  wire [1:0] use_rd1_1;
  wire [1:0] use_wr0_1;
  sb_fureg_0_row row_1 (.clk(clk), .rst(rst), .die(die[1]), .go_rd({go_rd0[1]}), .go_wr({go_wr0[1]}), .issue_0_0(issue_0_0[1]), .src0_0_0(src0_0_0), .src1_0_0(src1_0_0), .dst0_0_0(dst0_0_0), .blocked_src_all(blocked_src_all), .blocked_dst_all(blocked_dst_all), .rd_pend_all({rd_pend0_all[1]}), .wr_pend_all({wr_pend0_all[1]}), .pending_rd(pending_rd_1), .pending_wr(pending_wr_1), .use_rd0(use_rd0_1), .use_rd1(use_rd1_1), .use_wr0(use_wr0_1));
  assign pending_rd = pending_rd_0 | pending_rd_1;
  assign pending_wr = pending_wr_0 | pending_wr_1;
  assign use_rd0 = use_rd0_0 | use_rd0_1;
  assign use_rd1 = use_rd1_0 | use_rd1_1;
  assign use_wr0 = use_wr0_0 | use_wr0_1;
endmodule

// Which units one unit waits for before it reads (w) and before it writes (r).
module sb_fufu_row (
  input  wire clk,
  input  wire rst,
  input  wire die_row,
  input  wire [1:0] die,
  input  wire issue_0_0,
  input  wire [1:0] go_wr0,
  input  wire [1:0] w0_0_0,
  output wire readable,
  input  wire [1:0] go_rd0,
  input  wire [1:0] r0_0_0,
  output wire writable
);
  wire [1:0] unused_cell_w0_q;
  wire [1:0] cell_w0_qi;
  wire [1:0] unused_cell_w0_qlq;
  sb_sr_2 cell_w0 (.clk(clk), .rst(rst), .s(({2{issue_0_0}} & w0_0_0)), .r(go_wr0 | die | {2{die_row}}), .q(unused_cell_w0_q), .qi(cell_w0_qi), .qlq(unused_cell_w0_qlq));
  assign readable = ~|(cell_w0_qi);
  wire [1:0] unused_cell_r0_q;
  wire [1:0] cell_r0_qi;
  wire [1:0] unused_cell_r0_qlq;
  sb_sr_2 cell_r0 (.clk(clk), .rst(rst), .s(({2{issue_0_0}} & r0_0_0)), .r(go_rd0 | die | {2{die_row}}), .q(unused_cell_r0_q), .qi(cell_r0_qi), .qlq(unused_cell_r0_qlq));
  assign writable = ~|(cell_r0_qi);
endmodule

// FU-FU matrix: writes block reads, reads block writes.
module sb_fufu (
  input  wire clk,
  input  wire rst,
  input  wire [1:0] die,
  input  wire [1:0] issue_0_0,
  input  wire [1:0] older_0_0,
  input  wire [1:0] go_rd0,
  input  wire [1:0] go_wr0,
  input  wire [1:0] rd_pend0_all,
  input  wire [1:0] wr_pend0_all,
  output wire [1:0] readable,
  output wire [1:0] writable
);
  wire [1:0] w0_0_0 = wr_pend0_all & older_0_0;
  wire [1:0] r0_0_0 = rd_pend0_all & older_0_0;
  sb_fufu_row row_0 (.clk(clk), .rst(rst), .die_row(die[0]), .die(die), .issue_0_0(issue_0_0[0]), .go_wr0(go_wr0), .w0_0_0(w0_0_0), .readable(readable[0]), .go_rd0(go_rd0), .r0_0_0(r0_0_0), .writable(writable[0]));
  sb_fufu_row row_1 (.clk(clk), .rst(rst), .die_row(die[1]), .die(die), .issue_0_0(issue_0_0[1]), .go_wr0(go_wr0), .w0_0_0(w0_0_0), .readable(readable[1]), .go_rd0(go_rd0), .r0_0_0(r0_0_0), .writable(writable[1]));
endmodule

// Grants reads of the register file.
module sb_pick_rd (
  input  wire [1:0] request0,
  output wire [1:0] go0
);
  wire [1:0] wanted0 = request0;
  wire grant_0;
  wire [0:0] granted_1 = 1'd0 + {grant_0};
  assign grant_0 = wanted0[0] & (1'd0 < 1'd1);
  wire grant_1;
  assign grant_1 = wanted0[1] & (granted_1 < 1'd1);
  wire [1:0] picked0_0 = {grant_1, grant_0};
  wire [1:0] picked0 = picked0_0;
  assign go0 = picked0;
endmodule

// Grants writes of the register file.
module sb_pick_wr (
  input  wire [1:0] request0,
  output wire [1:0] go0
);
  wire [1:0] wanted0 = request0;
  wire grant_0;
  wire [0:0] granted_1 = 1'd0 + {grant_0};
  assign grant_0 = wanted0[0] & (1'd0 < 1'd1);
  wire grant_1;
  assign grant_1 = wanted0[1] & (granted_1 < 1'd1);
  wire [1:0] picked0_0 = {grant_1, grant_0};
  wire [1:0] picked0 = picked0_0;
  assign go0 = picked0;
endmodule

// Which units hold one unit back.
module sb_shadow_row (
  input  wire clk,
  input  wire rst,
  input  wire die_row,
  input  wire [1:0] release_column,
  input  wire issue_0_0,
  input  wire [1:0] hold_0_0,
  output wire [1:0] held_by,
  output wire shadow
);
  wire [1:0] unused_holder_q;
  wire [1:0] holder_qi;
  wire [1:0] holder_qlq;
  sb_sr_2 holder (.clk(clk), .rst(rst), .s(({2{issue_0_0}} & hold_0_0)), .r(release_column | {2{die_row}}), .q(unused_holder_q), .qi(holder_qi), .qlq(holder_qlq));
  assign held_by = holder_qi;
  assign shadow = |holder_qlq;
endmodule

// Shadows: row y has the units that hold y back, until their column is released.
module sb_shadow (
  input  wire clk,
  input  wire rst,
  input  wire [1:0] die,
  input  wire [1:0] release_column,
  input  wire [1:0] issue_0_0,
  input  wire [1:0] hold_0_0,
  output wire [1:0] held,
  output wire [1:0] shadow,
  output wire [1:0] held_by_0,
  output wire [1:0] held_by_1
);
  sb_shadow_row row_0 (.clk(clk), .rst(rst), .die_row(die[0]), .release_column(release_column), .held_by(held_by_0), .shadow(shadow[0]), .issue_0_0(issue_0_0[0]), .hold_0_0(hold_0_0));
  assign held[0] = |held_by_0;
  sb_shadow_row row_1 (.clk(clk), .rst(rst), .die_row(die[1]), .release_column(release_column), .held_by(held_by_1), .shadow(shadow[1]), .issue_0_0(issue_0_0[1]), .hold_0_0(hold_0_0));
  assign held[1] = |held_by_1;
endmodule

// Branch and trap shadows, and who dies.
module sb_speculation (
  input  wire [1:0] busy,
  input  wire [1:0] alu_valid,
  input  wire [1:0] alu_trap,
  input  wire [1:0] oldest,
  output wire [1:0] die,
  output wire [0:0] blocked
);
  wire trapped = |(alu_valid & alu_trap & oldest);
  assign die = ({2{trapped}} & busy);
  assign blocked = {(1'b0) | trapped};
endmodule

// Computation unit: busy, and requests to read and to write.
module sb_cu (
  input  wire clk,
  input  wire rst,
  input  wire issue,
  input  wire die,
  input  wire held,
  input  wire alu_valid,
  input  wire [0:0] go_rd,
  input  wire [0:0] go_wr,
  output wire busy,
  output wire [0:0] rd_rel,
  output wire [0:0] req_rel,
  output wire done
);
  wire loaded = go_rd[0];
  assign done = go_wr[0];
  reg issue_1;
  always @(posedge clk)
    if (rst) issue_1 <= 1'b0;
    else issue_1 <= issue;
  reg end_1;
  always @(posedge clk)
    if (rst) end_1 <= 1'b0;
    else end_1 <= done | die;
  reg loaded_1;
  always @(posedge clk)
    if (rst) loaded_1 <= 1'b0;
    else loaded_1 <= loaded;
  reg [0:0] read_1;
  always @(posedge clk)
    if (rst) read_1 <= {1{1'b0}};
    else read_1 <= go_rd | {1{die}};
  reg [0:0] write_1;
  always @(posedge clk)
    if (rst) write_1 <= {1{1'b0}};
    else write_1 <= go_wr | {1{die}};
  wire [0:0] opc_q;
  wire [0:0] unused_opc_qi;
  wire [0:0] unused_opc_qlq;
  sb_sr_1 opc (.clk(clk), .rst(rst), .s(issue_1), .r(end_1), .q(opc_q), .qi(unused_opc_qi), .qlq(unused_opc_qlq));
  wire [0:0] src_q;
  wire [0:0] unused_src_qi;
  wire [0:0] unused_src_qlq;
  sb_sr_1 src (.clk(clk), .rst(rst), .s(issue_1), .r(read_1), .q(src_q), .qi(unused_src_qi), .qlq(unused_src_qlq));
  wire [0:0] req_q;
  wire [0:0] unused_req_qi;
  wire [0:0] unused_req_qlq;
  sb_sr_1 req (.clk(clk), .rst(rst), .s(loaded_1), .r(write_1), .q(req_q), .qi(unused_req_qi), .qlq(unused_req_qlq));
  assign busy = opc_q[0];
  assign rd_rel = src_q & {1{busy}};
  assign req_rel = req_q & {1{alu_valid & busy & ~held}};
endmodule

// Scoreboard "small": what is issued, read, written and killed in each clock.
module sb_top (
  input  wire clk,
  input  wire rst,
  input  wire op0_valid,
  input  wire [0:0] op0_group,
  input  wire [0:0] op0_src0_reg,
  input  wire [0:0] op0_src0_lanes_0,
  input  wire [0:0] op0_src1_reg,
  input  wire [0:0] op0_src1_lanes_0,
  input  wire [0:0] op0_dst0_reg,
  input  wire [0:0] op0_dst0_lanes_0,
  input  wire [1:0] alu_valid,
  input  wire [1:0] alu_trap,
  output wire [0:0] accept,
  output wire [1:0] issue,
  output wire [1:0] busy,
  output wire [1:0] rd_rel,
  output wire [1:0] readable,
  output wire [1:0] go_rd,
  output wire [1:0] req_rel,
  output wire [1:0] writable,
  output wire [1:0] go_wr,
  output wire [1:0] shadown,
  output wire [1:0] die,
  output wire [1:0] g_rd,
  output wire [1:0] g_wr,
  output wire [1:0] use_rd0,
  output wire [1:0] use_rd1,
  output wire [1:0] use_wr0
);

  wire [1:0] issue_0_0;
  wire [1:0] done;
  wire [1:0] any_die;
  wire [0:0] blocked;
  wire [1:0] src0_0_0;
  wire [1:0] src1_0_0;
  wire [1:0] dst0_0_0;
  sb_issue issue_unit (.busy(busy), .blocked(blocked), .accept(accept), .op0_valid(op0_valid), .op0_group(op0_group), .op0_src0_reg(op0_src0_reg), .op0_src1_reg(op0_src1_reg), .op0_dst0_reg(op0_dst0_reg), .op0_src0_lanes_0(op0_src0_lanes_0), .op0_src1_lanes_0(op0_src1_lanes_0), .op0_dst0_lanes_0(op0_dst0_lanes_0), .src0_0_0(src0_0_0), .src1_0_0(src1_0_0), .dst0_0_0(dst0_0_0), .issue_0_0(issue_0_0));
  wire [1:0] older_0_0 = (busy & ~any_die);

  wire [1:0] able_to_read;
  wire [1:0] able_to_write;
  wire [1:0] held;
  assign readable = able_to_read;
  assign writable = able_to_write;
  wire [1:0] rd_rel0;
  wire [1:0] req_rel0;
  wire [1:0] go_rd0;
  wire [1:0] go_wr0;
  sb_cu unit_0 (.clk(clk), .rst(rst), .issue(issue[0]), .die(any_die[0]), .held(held[0]), .alu_valid(alu_valid[0]), .go_rd({go_rd0[0]}), .go_wr({go_wr0[0]}), .busy(busy[0]), .rd_rel({rd_rel0[0]}), .req_rel({req_rel0[0]}), .done(done[0]));
  sb_cu unit_1 (.clk(clk), .rst(rst), .issue(issue[1]), .die(any_die[1]), .held(held[1]), .alu_valid(alu_valid[1]), .go_rd({go_rd0[1]}), .go_wr({go_wr0[1]}), .busy(busy[1]), .rd_rel({rd_rel0[1]}), .req_rel({req_rel0[1]}), .done(done[1]));

  sb_pick_rd pick_rd (.request0(rd_rel0 & able_to_read), .go0(go_rd0));
  assign rd_rel = rd_rel0;
  assign go_rd = go_rd0;
  sb_pick_wr pick_wr (.request0(req_rel0 & able_to_write), .go0(go_wr0));
  assign req_rel = req_rel0;
  assign go_wr = go_wr0;

  wire [1:0] blocked_src_all = g_rd;
  wire [1:0] blocked_dst_all = g_wr;
  wire [1:0] rd_pend0_all;
  wire [1:0] wr_pend0_all;
  wire [1:0] pending_rd_0;
  wire [1:0] pending_wr_0;
  wire [1:0] use_rd0_0;
  wire [1:0] use_rd1_0;
  wire [1:0] use_wr0_0;
  sb_fureg_0 fureg_0 (.clk(clk), .rst(rst), .die(any_die[1:0]), .go_rd0(go_rd0[1:0]), .go_wr0(go_wr0[1:0]), .issue_0_0(issue_0_0[1:0]), .rd_pend0_all(rd_pend0_all[1:0]), .wr_pend0_all(wr_pend0_all[1:0]), .src0_0_0(src0_0_0), .src1_0_0(src1_0_0), .dst0_0_0(dst0_0_0), .blocked_src_all(blocked_src_all), .blocked_dst_all(blocked_dst_all), .pending_rd(pending_rd_0), .pending_wr(pending_wr_0), .use_rd0(use_rd0_0), .use_rd1(use_rd1_0), .use_wr0(use_wr0_0));
  assign g_rd = pending_rd_0;
  assign g_wr = pending_wr_0;
  assign use_rd0 = use_rd0_0;
  assign use_rd1 = use_rd1_0;
  assign use_wr0 = use_wr0_0;
  sb_fufu fufu (.clk(clk), .rst(rst), .die(any_die), .readable(able_to_read), .writable(able_to_write), .issue_0_0(issue_0_0), .older_0_0(older_0_0), .go_rd0(go_rd0), .go_wr0(go_wr0), .rd_pend0_all(rd_pend0_all), .wr_pend0_all(wr_pend0_all));

  wire [1:0] order_held;
  wire [1:0] order_shadow;
  wire [1:0] older_than_0;
  wire [1:0] older_than_1;
  sb_shadow order (.clk(clk), .rst(rst), .die(any_die), .release_column(done | any_die), .issue_0_0(issue_0_0), .hold_0_0(older_0_0 & ~done), .held(order_held), .shadow(order_shadow), .held_by_0(older_than_0), .held_by_1(older_than_1));
  wire [1:0] oldest = {~|older_than_1, ~|older_than_0};
  sb_speculation speculation (.busy(busy), .die(any_die), .blocked(blocked), .alu_valid(alu_valid), .alu_trap(alu_trap), .oldest(oldest));
  assign held = order_held | (alu_valid & alu_trap);
  assign shadown = ~(order_shadow);
  assign issue = issue_0_0;
  assign die = any_die;
endmodule
