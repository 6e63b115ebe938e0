// page.mjs PAGE.html SHOTS COMMAND [PART]: the main ways through the page, in Chromium; with PART those whose name the expression fits.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import {resolve} from "node:path";
import {chromium} from "playwright-core";

const [page, shots, command, part = ""] = process.argv.slice(2);
const address = pathToFileURL(resolve(page)).href;
mkdirSync(shots, {recursive: true});
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"]});

/** A page that is ready; any request beside its own file, and any error, fails the test. */
async function opened(fragment = "", options = {}) {
  const context = await browser.newContext({viewport: {width: 1500, height: 900}, ...options});
  const tab = await context.newPage();
  tab.problems = [];
  tab.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) tab.problems.push("request: " + request.url()); });
  tab.on("pageerror", (error) => tab.problems.push("error: " + error.message));
  tab.on("console", (line) => { if (line.type() === "error") tab.problems.push("console: " + line.text()); });
  await tab.goto(address + fragment);
  await tab.waitForSelector("body[data-ready]", {timeout: 60000});
  return tab;
}
/** Polls: the page's policy lets nobody evaluate text, which waitForFunction would do. */
async function until(tab, is, argument) {
  for (let tries = 0; tries < 300; ++tries) {
    if (await tab.evaluate(is, argument)) return;
    await tab.waitForTimeout(100);
  }
  throw new Error("never came: " + is);
}
const settled = (tab) => tab.waitForSelector("#cancel[hidden]", {state: "attached", timeout: 60000});
const shot = (tab, name) => tab.screenshot({path: `${shots}/${name}.png`});
const choose = async (tab, label) => {
  await tab.selectOption("#examples", {label});
  await tab.waitForTimeout(300);
  await settled(tab);
};
/** Files as somebody drops them: their names and bytes. */
const drop = (tab, files) => tab.evaluate((all) => {
  const carried = new DataTransfer();
  for (const [name, bytes] of all) carried.items.add(new File([new Uint8Array(bytes)], name));
  document.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
}, files.map(([name, bytes]) => [name, [...bytes]]));
/** What is in the editor becomes this text. */
const retype = async (tab, text) => {
  await tab.locator(".cm-content").click();
  await tab.keyboard.press("Control+A");
  await tab.keyboard.insertText(text);
  await tab.waitForTimeout(300);
  await settled(tab);
};
const exampleFile = (name) => readFileSync(new URL("../../examples/" + name, import.meta.url));
const editorText = (tab) => tab.locator(".cm-content").innerText();

const ways = {
  async "starts with an example in four columns"() {
    const tab = await opened();
    await settled(tab);
    assert.ok(await tab.locator("#words li").count() > 3);
    assert.match(await tab.locator("#outcome").innerText(), /threads ended/);
    assert.match(await tab.locator("#report").innerText(), /cycles/);
    assert.ok(await tab.locator("#timeline rect").count() > 3);
    await shot(tab, "light");
    return tab;
  },
  async "starts within what its own work takes"() {
    const tab = await opened();
    const [decoded, ready] = await tab.evaluate(() => ["decoded", "ready"].map((each) => performance.getEntriesByName(each)[0].startTime));
    const again = await tab.evaluate(async () => {  // what any page with these modules has to do: the measure that the machine gives
      const from = performance.now();
      for (const id of ["decoders", "wasm"]) {
        const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (each) => each.charCodeAt(0));
        await WebAssembly.compile(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
      }
      return performance.now() - from;
    });
    console.log(`     words after ${Math.round(decoded)} ms, all columns after ${Math.round(ready)} ms; to unpack and compile the modules takes ${Math.round(again)} ms`);
    assert.ok(decoded > 0 && decoded < ready && ready < 8 * again, `words after ${decoded} ms, ready after ${ready} ms, with modules of ${again} ms`);
    return tab;
  },
  async "does not jump while it starts"() {
    for (const width of [1500, 900, 360]) {
      const tab = await (await browser.newContext({viewport: {width, height: 900}})).newPage();
      await tab.addInitScript(() => {
        window.jumps = 0;
        new PerformanceObserver((list) => { for (const each of list.getEntries()) window.jumps += each.value; }).observe({type: "layout-shift", buffered: true});
      });
      await tab.goto(address);
      await tab.waitForSelector("body[data-ready]", {timeout: 60000});
      await tab.waitForTimeout(500);
      const jumps = await tab.evaluate(() => window.jumps);
      assert.ok(jumps < 0.1, `at ${width} pixels it jumps by ${jumps}; 0.1 is what is called good`);
    }
  },
  async "links the columns"() {
    const tab = await opened();
    await tab.locator("#words .pick").nth(2).click();
    await tab.waitForSelector("#words li:nth-child(3).chosen");
    assert.equal(await tab.locator(".chosen-line").count(), 1);
    assert.ok(await tab.locator("#timeline rect.chosen").count() > 0);
    await settled(tab);
    assert.ok(await tab.locator("#fields tr").count() > 3);
    return tab;
  },
  async "steps forward and back"() {
    const tab = await opened();
    await tab.click("#restart");
    await settled(tab);
    const place = () => tab.locator("#place").innerText();
    const first = await place();
    await tab.click("#step");
    await settled(tab);
    assert.notEqual(await place(), first);
    assert.ok(await tab.locator("#registers .changed").count() > 0);
    await tab.click("#back");
    await settled(tab);
    assert.equal(await place(), first);
    return tab;
  },
  async "says what is wrong in a text, as text"() {
    const tab = await opened();
    await tab.locator(".cm-content").click();
    await tab.keyboard.press("Control+End");
    await tab.keyboard.type("\n<img src=x onerror=alert(1)>");
    await until(tab, () => /error/.test(document.getElementById("message").textContent));
    assert.equal(await tab.locator("#message img").count(), 0);
    await shot(tab, "error");
    return tab;
  },
  async "gives back what a link holds"() {
    const tab = await opened();
    await tab.selectOption("#examples", {label: "Rogue: disc"});
    await until(tab, () => /rogue/.test(document.getElementById("message").textContent));
    await settled(tab);
    await tab.click("#share");
    await until(tab, () => location.hash.startsWith("#1="));
    const other = await opened(await tab.evaluate(() => location.hash));
    assert.equal(await editorText(other), await editorText(tab));
    assert.match(await other.locator("#message").innerText(), /rogue/);
    await shot(other, "rogue");
    return other;
  },
  async "opens files that are dropped, with what is known of them"() {
    const tab = await opened();
    await drop(tab, [["torus.bin", exampleFile("torus.vert.bin")], ["torus.json", exampleFile("torus.vert.json")]]);
    await until(tab, () => /^utgard-gp/.test(document.getElementById("message").textContent));
    await settled(tab);
    assert.ok(await tab.locator("#words li").count() > 3);
    assert.equal(await tab.locator("#words code").first().innerText(), exampleFile("torus.vert.bin").subarray(0, 16).toString("hex").replace(/(.{8})(?=.)/g, "$1 "));
    await drop(tab, [["noise.bin", Uint8Array.of(1, 2, 3, 4, 5)]]);
    await until(tab, () => /error: the last 5 bytes do not fill a word/.test(document.getElementById("message").textContent));
    assert.equal(await tab.locator("#words li").count(), 0);
    assert.match(await editorText(tab), /\.byte 0x01, 0x02, 0x03, 0x04, 0x05/);
    return tab;
  },
  async "links the lines of a shader to the words of its code"() {
    const folder = mkdtempSync(tmpdir() + "/mobula-page-");
    const shader = readFileSync(new URL("../../examples/ripple.frag", import.meta.url));
    execFileSync(command, ["compile", new URL("../../examples/ripple.frag", import.meta.url).pathname, "-m", "midgard:t860", "-o", folder + "/ripple.bin"]);
    const compiled = ["ripple.bin", "ripple.json"].map((name) => [name, readFileSync(folder + "/" + name)]);
    rmSync(folder, {recursive: true});
    const lines = JSON.parse(compiled[1][1].toString()).lines;
    const tab = await opened();
    await drop(tab, [...compiled, ["ripple.frag", shader]]);
    await until(tab, () => !document.getElementById("shader-part").hidden);
    await settled(tab);
    assert.equal(await tab.locator("#shader li").count(), shader.toString().split("\n").length);
    const [offset, line] = lines.at(-1);
    await tab.locator("#shader li").nth(line - 1).locator("button").click();
    const name = "0x" + offset.toString(16).padStart(2, "0");
    assert.equal(await tab.locator("#words li.chosen .offset").innerText(), name);
    await tab.locator("#words .pick").first().click();
    assert.equal(await tab.locator("#shader li.chosen").innerText(), shader.toString().split("\n")[lines[0][1] - 1]);
    await tab.click("#share");
    await until(tab, () => location.hash.startsWith("#1="));
    const other = await opened(await tab.evaluate(() => location.hash));
    assert.ok(await other.locator("#shader-part").isVisible(), "a link holds the shader, too");
    return tab;
  },
  async "cancels what takes long, and goes on"() {
    const tab = await opened();
    await tab.selectOption("#machine", "midgard:t860");  // its side file is no longer asked
    await retype(tab, ".stage vertex\nL:\n{\n  sadd.FADD.f32 R0.x, R0.x, #1\n  brx.uncond.always L\n}\n");
    await tab.evaluate(() => {
      const inputs = document.getElementById("inputs");
      inputs.value = JSON.stringify({threads: 256, limits: {steps: 4000000000, all_steps: 4000000000}});
      inputs.dispatchEvent(new Event("input"));
    });
    await tab.waitForSelector("#cancel:not([hidden])");
    await tab.waitForTimeout(1500);
    assert.ok(await tab.locator("#cancel").isVisible(), "it is still at work: " + await tab.locator("#message").innerText() + await tab.locator("#outcome").innerText());
    await tab.click("#cancel");
    await tab.waitForSelector("#cancel[hidden]", {state: "attached"});
    assert.match(await tab.locator("#outcome").innerText(), /Cancelled/);
    await choose(tab, "Midgard: checker");
    assert.match(await tab.locator("#outcome").innerText(), /threads ended/);
    return tab;
  },
  async "completes names of the manual"() {
    const tab = await opened();
    await tab.locator(".cm-content").click();
    await tab.keyboard.press("Control+End");
    await tab.keyboard.type("\nFFLO");
    await tab.waitForSelector(".cm-tooltip-autocomplete");
    assert.match(await tab.locator(".cm-tooltip-autocomplete").innerText(), /ffloor/i);
    await tab.waitForTimeout(200);
    await tab.keyboard.press("Enter");
    assert.match(await editorText(tab), /\nffloor/i);
    return tab;
  },
  async "steps the four threads of a quad"() {
    const tab = await opened();
    await tab.check("#quad");
    await settled(tab);
    for (let step = 0; step < 3; ++step) {
      await tab.click("#step");
      await settled(tab);
    }
    assert.match(await tab.locator("#place").innerText(), /thread 1: .*; thread 2: .*; thread 3: /);
    assert.equal(await tab.locator("#registers tr").first().locator("td").count(), 5);
    return tab;
  },
  async "stops at a breakpoint"() {
    const tab = await opened();
    const at = await tab.locator("#words .offset").nth(2).innerText();
    await tab.locator(".stop").nth(2).click();
    await tab.click("#go");
    await settled(tab);
    assert.ok((await tab.locator("#place").innerText()).startsWith(`next: ${at},`));
    return tab;
  },
  async "shows the scoreboard clock by clock, forward and back"() {
    const tab = await opened();
    await choose(tab, "Scoreboard: textbook");
    assert.equal(await tab.locator("#words li").count(), 6);
    const seen = [];
    for (let clock = 1; clock <= 6; ++clock) {
      await tab.click("#step");
      await settled(tab);
      assert.match(await tab.locator("#place").innerText(), new RegExp(`after clock ${clock}`));
      seen.push(await tab.locator("#waits").innerText());
    }
    assert.ok(seen.some((each) => /operation 2 in unit \d+ waits because it reads a value that an earlier word has not delivered yet, for operation 1/.test(each)), seen.join("\n"));
    assert.ok(await tab.locator("#view img").isVisible(), "the matrices");
    assert.ok(!await tab.locator("#bits-part").isVisible(), "an operation has no bits");
    assert.equal(new Set(await tab.locator("#timeline rect").evaluateAll((all) => all.map((each) => Math.floor(each.getAttribute("y") / 22)))).size, 6, "a row an operation");
    assert.match(await tab.locator("#view pre").innerText(), /FU/);
    await shot(tab, "scoreboard");
    await tab.click("#back");
    await settled(tab);
    assert.equal(await tab.locator("#waits").innerText(), seen.at(-2));
    assert.match(await tab.locator("#report").innerText(), /clocks/);
    return tab;
  },
  async "scrolls through 10,000 words, frame by frame"() {
    const tab = await opened();
    await tab.selectOption("#machine", "utgard-gp:mali400");
    await tab.selectOption("#machine", "midgard:t860");
    await retype(tab, "{\n  vmul.FMUL.f32 R1, R0, R0\n}\n".repeat(10000));
    await until(tab, () => document.querySelectorAll("#words li").length === 10000);
    await settled(tab);
    const {frames, shown} = await tab.evaluate(async () => {
      const list = document.getElementById("words");
      let frames = 0;
      const shown = new Set();
      for (let at = 0; at < 60; ++at) {
        list.scrollTop = list.scrollHeight / 60 * at;
        await new Promise(requestAnimationFrame);
        ++frames;
        const box = list.getBoundingClientRect();
        shown.add(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest("li")?.querySelector(".offset")?.textContent);
      }
      return {frames, shown: shown.size};
    });
    assert.equal(frames, 60);
    assert.ok(shown > 50, `a frame a place: ${shown} of 60 places were seen`);
    return tab;
  },
  async "shows pictures of each machine"() {
    const tab = await opened();
    for (const [label, title] of [["Rogue: disc", "view-rogue"], ["Utgard GP: torus", "view-utgard-gp"], ["afuc: firmware", "view-afuc"]]) {
      await choose(tab, label);
      await tab.click("#tab-picture");
      await settled(tab);
      assert.ok(await tab.locator("#view img").count() > 0, label);
      for (const image of await tab.locator("#view img").all()) assert.ok(await image.evaluate((each) => each.complete && each.naturalWidth > 100), label);
      await tab.locator("#views").screenshot({path: `${shots}/${title}.png`});
    }
    return tab;
  },
  async "moves data through a group's phases and Utgard GP's words, row by row"() {
    const tab = await opened();
    await choose(tab, "Rogue: disc");
    await tab.click("#tab-picture");
    const place = async () => {
      await tab.waitForSelector("#walk-place");
      return tab.locator("#walk-place").innerText();
    };
    const moveOn = async (is) => {
      await tab.click("#walk-on");
      await until(tab, is);
      return place();
    };
    assert.match(await moveOn(() => /row 1 of/.test(document.getElementById("walk-place")?.textContent)), /^Picture 1 of \d+, row 1 of \d+: on its way: S\d .* to (phase|back end)/);
    const first = await tab.locator("#view img").getAttribute("src");
    await moveOn(() => /row 2 of/.test(document.getElementById("walk-place")?.textContent));
    assert.notEqual(await tab.locator("#view img").getAttribute("src"), first);
    await tab.locator("#views").screenshot({path: `${shots}/walk.png`});
    await tab.click("#walk-back");
    await until(tab, () => /row 1 of/.test(document.getElementById("walk-place")?.textContent));
    assert.equal(await tab.locator("#view img").getAttribute("src"), first);
    await tab.click("#walk-play");
    await until(tab, () => /^Picture 2 of/.test(document.getElementById("walk-place")?.textContent));
    await choose(tab, "Utgard GP: torus");
    assert.equal(await tab.locator("#walk-place").count(), 0, "another program starts anew");
    await moveOn(() => /row 1 of/.test(document.getElementById("walk-place")?.textContent));
    assert.match(await moveOn(() => /row 2 of/.test(document.getElementById("walk-place")?.textContent)), /^Picture 1 of 1, row 2 of \d+: /);
    return tab;
  },
  async "compiles a shader as one types, linked to its lines"() {
    const tab = await opened();
    await choose(tab, "GLSL: ripple");
    assert.match(await tab.locator("#message").innerText(), /^midgard:t860, fragment: \d+ words/);
    const costs = await tab.locator("#costs tbody tr").count();
    assert.ok(costs > 1, "a row for each line that costs something");
    assert.match(await tab.locator("#outcome").innerText(), /threads ended/);
    await tab.locator("#costs tbody button").nth(1).click();
    const line = await tab.locator("#costs tr.chosen th").innerText();
    assert.equal(await tab.locator(".cm-line.chosen-line").innerText(), await tab.locator(".cm-line").nth(Number(line) - 1).innerText());
    assert.ok(await tab.locator("#words .same-line").count() > 0);
    const place = await tab.locator(".cm-line", {hasText: "gl_FragColor"}).last().boundingBox();
    await tab.mouse.move(place.x + 40, place.y + place.height / 2);
    await until(tab, () => /gl_FragColor/.test(document.querySelector(".chosen-line")?.textContent ?? ""));
    await shot(tab, "glsl");
    const words = await tab.locator("#words code").allTextContents(), text = (await tab.locator(".cm-line").allTextContents()).join("\n");
    await retype(tab, text.replace("void main", "void mine"));
    await until(tab, () => /^error|: error: /.test(document.getElementById("message").textContent));
    await retype(tab, text.replace(/;\s*}\s*$/, "; int x = y; }\n"));
    await until(tab, () => /'y': undeclared identifier/.test(document.getElementById("message").textContent));
    assert.ok(await tab.locator(".cm-lintRange-error, .cm-lintPoint-error").count() > 0);
    await retype(tab, text);
    await until(tab, () => /words/.test(document.getElementById("message").textContent));
    assert.deepEqual(await tab.locator("#words code").allTextContents(), words);
    await tab.selectOption("#machine", "rogue:usc");
    await until(tab, () => /^rogue:usc, fragment/.test(document.getElementById("message").textContent));
    await settled(tab);
    assert.equal((await tab.locator(".cm-line").allTextContents()).join("\n"), text);
    await tab.click("#tab-compare");
    await tab.click("#keep");
    await settled(tab);
    await tab.selectOption("#machine", "midgard:t860");
    await until(tab, () => /Kept: rogue[^]*Now: midgard/.test(document.getElementById("beside")?.textContent ?? ""));
    await settled(tab);
    await tab.click("#share");
    await until(tab, () => location.hash.length > 3);
    const again = await opened(await tab.evaluate(() => location.hash));
    assert.equal((await again.locator(".cm-line").allTextContents()).join("\n"), text);
    assert.deepEqual(await again.locator("#words code").allTextContents(), words);
    assert.deepEqual(again.problems, []);
    return tab;
  },
  async "says so where there is no compiler"() {
    const tab = await opened();
    await tab.evaluate(() => { document.body.dataset.compiler = "false"; });
    await drop(tab, [["a.frag", [...new TextEncoder().encode("void main() {}")]]]);
    await until(tab, () => /without the compiler/.test(document.getElementById("message").textContent));
    return tab;
  },
  async "shows values in flight while an exposed pipeline is stepped"() {
    const tab = await opened();
    await choose(tab, "Utgard GP: torus");
    await tab.click("#tab-picture");
    await tab.click("#restart");
    await settled(tab);
    const seen = [];
    for (let step = 1; step <= 3; ++step) {
      await tab.click("#step");
      await until(tab, (row) => document.getElementById("walk-place")?.textContent.includes(`row ${row} of`), step + 1);
      await settled(tab);
      await tab.waitForTimeout(300);
      seen.push(await tab.locator("#waits").innerText());
    }
    assert.ok(seen.some((each) => /arrives in the next word: .* for /.test(each)), seen.join("\n"));
    assert.ok(seen.some((each) => /on its way past it: .* to /.test(each)), seen.join("\n"));
    await tab.click("#back");
    await until(tab, (before) => document.getElementById("waits").innerText === before, seen.at(-2));
    return tab;
  },
  async "shows what firmware does for a command stream, and steps it"() {
    const tab = await opened();
    await choose(tab, "afuc: firmware");
    await tab.click("#tab-stream");
    await settled(tab);
    const rows = await tab.locator(".packets > li").allInnerTexts();
    assert.ok(rows.some((each) => /CP_CONTEXT_REG_BUNCH/.test(each) && /0x8102/.test(each) && /0x12/.test(each)), rows.join("\n"));
    await tab.locator("#views").screenshot({path: `${shots}/stream.png`});
    await tab.click("#restart");
    await settled(tab);
    const place = () => tab.locator("#place").innerText();
    const first = await place();
    await tab.click("#step");
    await settled(tab);
    assert.notEqual(await place(), first);
    assert.ok(await tab.locator("#words li.next").count() === 1);
    await tab.click("#back");
    await settled(tab);
    assert.equal(await place(), first);
    await tab.click("#tab-flow");
    await settled(tab);
    const names = await tab.locator("#view select option").allInnerTexts();
    assert.ok(names.includes("CP_NOP"), names.join());
    await tab.selectOption("#view select", "CP_INDIRECT_BUFFER");
    await settled(tab);
    assert.ok(await tab.locator(".block").count() > 0);
    return tab;
  },
  async "draws control flow, linked to the words"() {
    const tab = await opened();
    await choose(tab, "Rogue: Collatz");
    await tab.click("#tab-flow");
    await settled(tab);
    assert.ok(await tab.locator(".block").count() > 2);
    await until(tab, () => document.querySelectorAll(".edge").length > 2);
    const line = tab.locator(".block").nth(1).locator("button").first();
    const address = (await line.innerText()).split(" ")[0];
    await line.click();
    assert.equal(await tab.locator("#words li.chosen .offset").innerText(), address);
    await tab.locator("#views").screenshot({path: `${shots}/flow.png`});
    return tab;
  },
  async "compares two machines side by side"() {
    const tab = await opened();
    await choose(tab, "Midgard: checker");
    await tab.click("#tab-compare");
    await tab.click("#keep");
    await settled(tab);
    const sides = () => tab.locator("#beside > div").allInnerTexts();
    const [kept, now] = await sides();
    assert.equal(kept.replace("Kept", ""), now.replace("Now", ""));
    await retype(tab, "{\n  vadd.FADD.f32 R0, R0, R0\n}\n");
    assert.ok(await tab.locator("#beside .removed").count() > 0);
    await choose(tab, "Rogue: disc");
    assert.match((await sides())[1], /Now: rogue/);
    assert.match((await sides())[0], /Kept: midgard/);
    await tab.locator("#views").screenshot({path: `${shots}/compare.png`});
    return tab;
  },
  async "teaches: every lesson can be done, and not by doing nothing"() {
    const tab = await opened();
    const names = readdirSync(new URL("../lessons", import.meta.url)).sort();
    assert.equal(names.length, 8);
    for (const [index, name] of names.entries()) {
      const lesson = JSON.parse(readFileSync(new URL("../lessons/" + name, import.meta.url), "utf8"));
      await tab.selectOption("#lessons", String(index));
      await tab.waitForTimeout(300);
      await settled(tab);
      const state = () => tab.locator("#lesson-state").innerText();
      assert.match(await state(), /^Not yet/, name);
      assert.doesNotMatch(await tab.locator("#message").innerText(), /(^|\n)error/, name);
      assert.ok(!await tab.locator("#lesson-question").isVisible());
      if (lesson.text.length) {
        await retype(tab, await editorText(tab) + "\n");
        assert.match(await state(), /^Not yet. ./, name + ": a change that changes nothing");
      }
      const {text, inputs, threads} = lesson.solution;
      if (text) await retype(tab, text.join("\n") + "\n");
      for (const [id, value] of [["inputs", inputs?.join("\n")], ["threads", threads]])
        if (value !== undefined) {
          if (id === "inputs") await tab.evaluate(() => { document.querySelector("#inputs").closest("details").open = true; });
          await tab.fill("#" + id, String(value));
          await tab.locator("#" + id).blur();
        }
      await tab.waitForTimeout(400);
      await settled(tab);
      assert.match(await state(), /^Done/, `${name}: ${await tab.locator("#message").innerText()}`);
      const {choices, answer} = lesson.question;
      for (const each of choices.keys()) {
        await tab.locator("#lesson-question input").nth(each).check();
        assert.match(await tab.locator("#lesson-answer").innerText(), each === answer ? /^Right/ : /^No/);
      }
      if (index === 3) await shot(tab, "lesson");
    }
    await choose(tab, "Midgard: checker");
    assert.ok(!await tab.locator("#lesson").isVisible());
    return tab;
  },
  async "is served by the command, and asks for nothing but itself"() {
    const server = spawn(command, ["serve", resolve(page), "--port", "0", "--idle", "20"], {stdio: ["ignore", "ignore", "pipe"]});
    try {
      const from = await new Promise((give) => server.stderr.on("data", (piece) => {
        const found = /http:[^ ,]+/.exec(piece);
        if (found) give(found[0]);
      }));
      const tab = await (await browser.newContext()).newPage();
      const asked = [];
      tab.problems = [];
      tab.on("request", (request) => { if (!/^(blob|data):/.test(request.url())) asked.push(request.url()); });
      tab.on("pageerror", (error) => tab.problems.push("error: " + error.message));
      tab.on("console", (line) => { if (line.type() === "error") tab.problems.push("console: " + line.text()); });
      const answer = await tab.goto(from);
      assert.match(answer.headers()["content-security-policy"], /script-src 'wasm-unsafe-eval' 'sha256-.*frame-ancestors 'none'$/);
      await tab.waitForSelector("body[data-ready]", {timeout: 60000});
      assert.ok(await tab.locator("#words li").count() > 3);
      assert.deepEqual(asked, [from]);
      return tab;
    } finally {
      server.kill();
    }
  },
  async "every example is read"() {
    const tab = await opened();
    for (const label of await tab.locator("#examples option").allInnerTexts()) {
      await tab.selectOption("#examples", {label});
      await tab.waitForTimeout(300);
      await settled(tab);
      const says = await tab.locator("#message").innerText();
      assert.doesNotMatch(says, /unexpected end|^error|\nerror/, `${label}: ${says}`);
      assert.ok(await tab.locator("#words li").count() > 0, `${label} has no words: ${says}`);
    }
    return tab;
  },
  async "is dark where that is wanted, and fits 360 pixels"() {
    const dark = await opened("", {colorScheme: "dark"});
    await settled(dark);
    await shot(dark, "dark");
    assert.deepEqual(dark.problems, []);
    const narrow = await opened("", {viewport: {width: 360, height: 740}});
    await settled(narrow);
    await shot(narrow, "narrow");
    assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "scrolls sideways");
    return narrow;
  },
  async "has nothing that axe-core finds"() {
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    for (const colorScheme of ["light", "dark"]) {
      const tab = await opened("", {colorScheme, bypassCSP: true});
      await settled(tab);
      await tab.evaluate(axe);
      const {violations} = await tab.evaluate(() => axe.run());
      assert.deepEqual(violations.map((each) => [each.id, ...each.nodes.slice(0, 3).map((node) => node.html.slice(0, 120) + node.any.map((one) => one.message).join())]), []);
    }
  },
};

let failed = 0;
for (const [name, way] of Object.entries(ways).filter(([name]) => new RegExp(part).test(name))) {
  try {
    const tab = await way();
    assert.deepEqual(tab?.problems ?? [], []);
    console.log("ok   " + name);
  } catch (problem) {
    ++failed;
    console.log(`FAIL ${name}: ${problem.message}`);
  }
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
