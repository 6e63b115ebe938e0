// page.mjs PAGE.html SHOTS COMMAND [PART]: the main ways through the page, in Chromium; with PART those whose name the expression fits.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {deflateRawSync, deflateSync} from "node:zlib";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import {resolve} from "node:path";
import {chromium} from "playwright-core";

const [page, shots, relative, part = ""] = process.argv.slice(2);
/** From any folder. */
const command = resolve(relative);
const address = pathToFileURL(resolve(page)).href;
mkdirSync(shots, {recursive: true});
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"]});

/** No time is asserted: this long on a computer that has much else to do. */
const patience = 240000;
/** A page that is still empty; any request beside its own file, and any error, fails the test. */
async function empty(options = {}) {
  const context = await browser.newContext({viewport: {width: 1500, height: 900}, ...options});
  context.setDefaultTimeout(patience);
  const tab = await context.newPage();
  tab.problems = [];
  tab.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) tab.problems.push("request: " + request.url()); });
  tab.on("pageerror", (error) => tab.problems.push("error: " + error.message));
  tab.on("console", (line) => { if (line.type() === "error") tab.problems.push("console: " + line.text()); });
  return tab;
}
/** A page that is ready. */
async function opened(fragment = "", options = {}) {
  const tab = await empty(options);
  await tab.goto(address + fragment);
  await tab.waitForSelector("body[data-ready]", {timeout: patience});
  return tab;
}
/** A page with its first example, whose modules are not compiled before it lets them go, and from then on. */
async function withoutModules() {
  const tab = await empty();
  await tab.addInitScript(() => {
    let held = [];
    window.letGo = () => {
      for (const give of held) give();
      held = undefined;
    };
    window.Worker = class extends Worker {
      postMessage(message) {
        held && message.packed ? held.push(() => super.postMessage(message)) : super.postMessage(message);
      }
    };
  });
  await tab.goto(address);
  await until(tab, () => document.querySelectorAll("#words li").length > 3 && document.querySelectorAll("#fields tr").length > 3);
  return tab;
}
/** Polls: the page's policy lets nobody evaluate text, which waitForFunction would do. */
async function until(tab, is, argument) {
  for (let tries = 0; tries < 2400; ++tries) {
    if (await tab.evaluate(is, argument)) return;
    await tab.waitForTimeout(100);
  }
  throw new Error("never came: " + is);
}
const settled = (tab) => tab.waitForSelector("#busy[hidden]", {state: "attached", timeout: patience});
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
/** The fragment of a link that holds this. */
const linkOf = (held) => "#1=" + deflateRawSync(Buffer.from(JSON.stringify(held))).toString("base64url");
/** A program that runs for minutes, and the inputs that let it. */
const endless = ".stage vertex\nL:\n{\n  sadd.FADD.f32 R0.x, R0.x, #1\n  brx.uncond.always L\n}\n";
const noLimits = {threads: 256, limits: {steps: 4000000000, all_steps: 4000000000}};
const startEndless = async (tab) => {
  await tab.selectOption("#machine", "midgard:t860");  // its side file is no longer asked
  await typeInputs(tab, {});
  await retype(tab, endless);
  await typeInputs(tab, noLimits);
  await tab.waitForTimeout(1500);
  assert.ok(await tab.locator("#cancel").isVisible(), "it is at work: " + await tab.locator("#message").innerText() + await tab.locator("#outcome").innerText());
};
/** The columns that say that they show the program before. */
const oldColumns = (tab) => tab.evaluate(() => [...document.querySelectorAll(".was:not([hidden])")].map((each) => each.parentElement.id));
/** The canvas, as red, green and blue of its pixels. */
const drawnPixels = (tab) => tab.evaluate(() => {
  const canvas = document.getElementById("picture"), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return btoa([...data].filter((_, at) => at % 4 !== 3).map((each) => String.fromCharCode(each)).join(""));
});
const same = (got, expected, what = "the picture") => assert.ok(got === expected, what + " is not that of the command");
/** The same of the picture that the command draws of files in a folder. */
function commandPixels(files, args) {
  const folder = mkdtempSync(tmpdir() + "/mobula-page-");
  try {
    for (const [name, bytes] of files) writeFileSync(folder + "/" + name, Buffer.from(bytes));
    execFileSync(command, ["run", ...args, "--image", "192x192", "-o", "out.ppm"].map((each) => files.some(([name]) => name === each) || each === "out.ppm" ? folder + "/" + each : each), {stdio: ["ignore", "ignore", "inherit"]});
    return readFileSync(folder + "/out.ppm").subarray(-192 * 192 * 3).toString("base64");
  } finally {
    rmSync(folder, {recursive: true});
  }
}
const typeInputs = (tab, document) => tab.evaluate((text) => {
  const inputs = document.getElementById("inputs");
  inputs.value = text;
  inputs.dispatchEvent(new Event("input"));
}, JSON.stringify(document));
const examples = new URL("../../examples/", import.meta.url);
const exampleFile = (name) => readFileSync(new URL(name, examples));
/** What the command says of an example. */
const commandTimes = (...args) => execFileSync(command, ["time", ...args], {cwd: examples.pathname, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"]});
const editorText = (tab) => tab.locator(".cm-content").innerText();

/** A picture of 16 bits a colour, with a colour that is transparent. */
function deepPng() {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]), around = Buffer.alloc(8);
    around.writeUInt32BE(data.length, 0);
    around.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 0, 4, 0, 0, 0, 2, 16, 2, 0, 0, 0]), rows = Buffer.alloc(2 * (1 + 4 * 6));
  for (let at = 0; at < rows.length; ++at) rows[at] = at % 25 === 0 ? 0 : at * 37 & 255;
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]), chunk("IHDR", header), chunk("tRNS", rows.subarray(1, 7)), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}
function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = crc >>> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return (crc ^ -1) >>> 0;
}

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
  async "starts with one question and two workers"() {
    const tab = await (await browser.newContext()).newPage();
    tab.setDefaultTimeout(patience);
    await tab.addInitScript(() => {
      window.asked = [];
      let workers = 0;
      window.Worker = class extends Worker {
        number = workers++;
        postMessage(message) {
          if (message.request) window.asked.push([this.number, message.request.ask]);
          super.postMessage(message);
        }
      };
    });
    await tab.goto(address);
    await tab.waitForSelector("body[data-ready]", {timeout: patience});
    const asked = await tab.evaluate(() => window.asked);
    assert.ok(await tab.locator("#machine option").count() > 20, "all machines are listed");
    const decoders = asked.filter(([worker]) => worker === 0).map(([, ask]) => ask);
    assert.deepEqual(decoders.slice(0, 3), ["machines", "assemble", "manual"], "what is decoded first is the program");
    assert.deepEqual([...new Set(asked.map(([worker]) => worker))].sort(), [0, 1], "nothing is ended to be started again");
    assert.ok(/^[\0-\x7F]*$/.test(readFileSync(page, "latin1")), "browsers read the page as text of 8 bits");
  },
  async "shows its first example before a module is there, by what the module answers"() {
    const tab = await empty();
    await tab.addInitScript(() => {
      window.answers = {};
      window.Worker = class extends Worker {
        asked = new Map();
        constructor(place) {
          super(place);
          this.addEventListener("message", ({data}) => {
            if (data.compiled) window.compiled ??= performance.now();
            if (this.asked.has(data.id)) window.answers[this.asked.get(data.id)] ??= JSON.stringify(data.json);
          });
        }
        postMessage(message) {
          if (message.request) this.asked.set(message.id, JSON.stringify(message.request));
          super.postMessage(message);
        }
      };
    });
    await tab.goto(address);
    await tab.waitForSelector("body[data-ready]", {timeout: patience});
    const {shown, compiled, stored, answers} = await tab.evaluate(() => ({
      shown: performance.getEntriesByName("decoded")[0].startTime, compiled: window.compiled, answers: window.answers,
      stored: JSON.parse(document.getElementById("answers").textContent).map((pair) => pair.map((each) => JSON.stringify(each))),
    }));
    assert.ok(shown < compiled, `words after ${shown} ms, the module after ${compiled} ms`);
    assert.deepEqual(stored.map(([question]) => JSON.parse(question).ask), ["machines", "assemble", "explain"]);
    for (const [question, answer] of stored) assert.ok(answers[question] === answer, "the module answers something else to " + question.slice(0, 40));
    return tab;
  },
  async "takes an edit before a module is there"() {
    const tab = await withoutModules();
    assert.ok(await tab.locator("#bits").evaluate((each) => each.src.startsWith("data:image/svg")));
    assert.ok(await tab.locator("#machine option").count() > 20, "all machines are listed");
    assert.match(await tab.locator("#message").innerText(), /^midgard:t860, fragment: \d+ words/);
    assert.deepEqual(await oldColumns(tab), []);
    await tab.locator("#words .pick").nth(2).click();
    assert.equal(await tab.locator("#words li.chosen .offset").innerText(), await tab.locator("#words .offset").nth(2).innerText());
    await tab.locator(".cm-content").click();
    await tab.keyboard.press("Control+A");
    await tab.keyboard.insertText("{\n  vadd.FADD.f32 R0, R0, R0\n}\n{\n  vadd.FADD.f32 R1, R0, R0\n}\n");
    await until(tab, () => document.getElementById("h-code").closest("section").classList.contains("old"));
    assert.ok(await tab.locator("#words li").count() > 3, "the program before stands there until the new one comes");
    await tab.evaluate(() => window.letGo());
    await until(tab, () => document.querySelectorAll("#words li").length === 2);
    await tab.waitForSelector("body[data-ready]", {timeout: patience});
    await settled(tab);
    assert.deepEqual(await oldColumns(tab), []);
    assert.match(await tab.locator("#outcome").innerText(), /thread/);
    return tab;
  },
  async "knows its first example after what is cancelled or refused before a module is there"() {
    for (const refuse of [true, false]) {
      const tab = await withoutModules();
      if (refuse) await drop(tab, [["light.gpe", exampleFile("light.gpe")]]);
      else await tab.click("#cancel");
      await tab.evaluate(() => window.letGo());
      await tab.waitForSelector("body[data-ready]", {timeout: patience});
      await settled(tab);
      assert.match(await tab.locator("#message").innerText(), refuse ? /light\.gpe was not opened/ : /Cancelled/);
      assert.ok(await tab.locator("#words li").count() > 3);
      const before = await tab.locator("#bits").getAttribute("src");
      await tab.locator("#words .pick").nth(2).click();
      await until(tab, (before) => document.getElementById("bits").src !== before, before);
      assert.deepEqual(tab.problems, []);
    }
  },
  async "does not jump while it starts"() {
    for (const width of [1500, 900, 360]) {
      const tab = await (await browser.newContext({viewport: {width, height: 900}})).newPage();
      tab.setDefaultTimeout(patience);
      await tab.addInitScript(() => {
        window.jumps = 0;
        new PerformanceObserver((list) => { for (const each of list.getEntries()) window.jumps += each.value; }).observe({type: "layout-shift", buffered: true});
      });
      await tab.goto(address);
      await tab.waitForSelector("body[data-ready]", {timeout: patience});
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
    assert.equal(await other.locator("#examples").inputValue(), "", "it is none of the examples");
    await shot(other, "rogue");
    return other;
  },
  async "says so where a link is damaged, unpacks to too much, or is of another page"() {
    const bomb = deflateRawSync(Buffer.alloc(300 << 20)).toString("base64url");
    const text = "{\n  vadd.FADD.f32 R0, R0, R0\n}\n", held = {version: 1, machine: "midgard:t860", file: "a.mdg", text};
    const wrong = [null, [], 5, {...held, version: 123}, {...held, machine: "abacus"}, {...held, files: {"a.png": "%%"}}, {...held, files: [1]}].map(linkOf);
    assert.equal((await opened(linkOf(held))).problems.length, 0);
    for (const link of ["#1=AAAA", "#1=%%%", "#2=AAAA", "#1=" + bomb, ...wrong]) {
      const tab = await opened(link);
      assert.match(await tab.locator("#message").innerText(), /^error: this link is damaged/, link.slice(0, 10));
      assert.ok(await tab.locator("#words li").count() > 3);
      assert.deepEqual(tab.problems, []);
      assert.notEqual(await tab.locator("#machine").inputValue(), "abacus");
      await tab.context().close();
    }
  },
  async "follows links in the address line, and takes out one that holds something else"() {
    const tab = await opened();
    await choose(tab, "Rogue: disc");
    await tab.click("#share");
    await until(tab, () => location.hash.startsWith("#1="));
    const link = await tab.evaluate(() => location.hash), entries = await tab.evaluate(() => history.length);
    const gone = () => until(tab, () => location.hash === "");
    await choose(tab, "Midgard: checker");
    await gone();
    assert.equal(await tab.evaluate(() => history.length), entries, "nothing is added to the history");
    await tab.evaluate((link) => { location.hash = link; }, link);
    await until(tab, () => /^rogue/.test(document.getElementById("message").textContent));
    await settled(tab);
    assert.equal(await tab.locator("#examples").inputValue(), "");
    await retype(tab, await editorText(tab) + "\n");
    await gone();
    const other = linkOf({version: 1, machine: "midgard:t860", file: "a.mdg", text: "{\n  vadd.FADD.f32 R0, R0, R0\n}\n"});
    for (const each of [other, link]) {
      await tab.evaluate((link) => { location.hash = link; }, each);
      await until(tab, (is) => document.getElementById("message").textContent.startsWith(is), each === link ? "rogue" : "midgard");
      await settled(tab);
    }
    await tab.goBack();
    await until(tab, () => document.getElementById("message").textContent.startsWith("midgard"));
    await tab.goForward();
    await until(tab, () => document.getElementById("message").textContent.startsWith("rogue"));
    await settled(tab);
    await typeInputs(tab, {});
    await gone();
    const before = await editorText(tab);
    await tab.evaluate(() => { location.hash = "#1=AAAA"; });
    await until(tab, () => /^error: this link is damaged/.test(document.getElementById("message").textContent));
    assert.equal(await editorText(tab), before);
    return tab;
  },
  async "gives back a large program by its link"() {
    const tab = await opened();
    await tab.selectOption("#machine", "midgard:t860");
    await retype(tab, Array.from({length: 3000}, (_, at) => `{\n  vmul.FMUL.f32 R${at % 7}, R${at * 3 % 5}, R${at % 11 % 3}\n}\n`).join(""));
    await until(tab, () => document.querySelectorAll("#words li").length === 3000);
    await settled(tab);
    await tab.click("#share");
    await until(tab, () => location.hash.startsWith("#1="));
    const other = await opened(await tab.evaluate(() => location.hash));
    const codes = (of) => of.evaluate(() => [...document.querySelectorAll("#words code")].map((each) => each.textContent).join());
    assert.ok(await codes(other) === await codes(tab) && (await codes(tab)).length > 90000);
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
    await startEndless(tab);
    await tab.locator("#inputs-title").focus();
    await tab.locator("#cancel").focus();
    await tab.click("#cancel");
    await tab.waitForSelector("#busy[hidden]", {state: "attached"});
    await until(tab, () => /Cancelled/.test(document.getElementById("outcome").textContent));
    assert.match(await tab.locator("#message").innerText(), /Cancelled/);
    await until(tab, () => document.activeElement.id === "inputs-title");
    await choose(tab, "Midgard: checker");
    assert.match(await tab.locator("#outcome").innerText(), /threads ended/);
    return tab;
  },
  async "ends a run for another text, or another program"() {
    const tab = await opened();
    await startEndless(tab);
    assert.ok((await oldColumns(tab)).includes("h-does"), "a run is under way: what stands there is of the text before");
    await retype(tab, "{\n  vadd.FADD.f32 R0, R0, R0\n}\n{\n  vadd.FADD.f32 R1, R0, R0\n}\n");
    assert.equal(await tab.locator("#words li").count(), 2);
    assert.doesNotMatch(await tab.locator("#message").innerText(), /Cancelled|error/);
    assert.deepEqual(await oldColumns(tab), []);
    await startEndless(tab);
    await choose(tab, "Midgard: checker");
    assert.match(await tab.locator("#outcome").innerText(), /threads ended/);
    assert.match(await tab.locator("#examples option:checked").innerText(), /checker/);
    await startEndless(tab);
    await tab.selectOption("#machine", "rogue:usc");
    await until(tab, () => /error/.test(document.getElementById("message").textContent));
    await settled(tab);
    return tab;
  },
  async "says which columns are of the program before"() {
    const tab = await opened();
    await settled(tab);
    assert.deepEqual(await oldColumns(tab), []);
    await retype(tab, "no such thing\n");
    assert.deepEqual(await oldColumns(tab), ["h-code", "h-time", "h-does", "h-views"]);
    assert.match(await tab.locator("#message .error").first().innerText(), /error: /);
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    for (const colorScheme of ["light", "dark"]) {
      const checked = await opened("", {colorScheme, bypassCSP: true});
      await retype(checked, "no such thing\n");
      await checked.evaluate(axe);
      assert.deepEqual((await checked.evaluate(() => axe.run())).violations.map((each) => [each.id, each.nodes[0].html.slice(0, 120)]), []);
      await shot(checked, "old-" + colorScheme);
      await checked.context().close();
    }
    await choose(tab, "Midgard: checker");
    assert.deepEqual(await oldColumns(tab), []);
    return tab;
  },
  async "compiles for another variant of a machine by the directive of its text"() {
    const tab = await opened();
    await choose(tab, "Midgard: checker");
    assert.match(await editorText(tab), /^\.machine midgard:t860/);
    await tab.selectOption("#machine", "midgard:t604");
    await until(tab, () => /^midgard:t604/.test(document.getElementById("message").textContent));
    assert.match(await editorText(tab), /^\.machine midgard:t604/);
    await tab.locator(".cm-content").focus();
    await tab.keyboard.press("Control+z");
    await until(tab, () => /^midgard:t860/.test(document.getElementById("message").textContent));
    assert.equal(await tab.locator("#machine").inputValue(), "midgard:t860");
    await tab.selectOption("#machine", "rogue:usc");
    await until(tab, () => /error: .*rogue/.test(document.getElementById("message").textContent));
    assert.match(await editorText(tab), /^\.machine midgard:t860/);
    return tab;
  },
  async "leaves the program alone where a file cannot be opened"() {
    const tab = await opened();
    await choose(tab, "Midgard: checker");
    const before = await editorText(tab), words = await tab.locator("#words li").count();
    await drop(tab, [["light.gpe", exampleFile("light.gpe")]]);
    await until(tab, () => /^error: light\.gpe was not opened/.test(document.getElementById("message").textContent));
    assert.equal(await tab.locator(".cm-lintRange, .cm-lint-marker").count(), 0);
    await tab.evaluate(() => {
      const carried = new DataTransfer();
      carried.items.add(new File([new Uint8Array(50 << 20)], "big.bin"));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
    });
    await until(tab, () => /^error: big\.bin was not opened: it has 50 MiB, and the page takes at most 4 MiB/.test(document.getElementById("message").textContent));
    assert.equal(await editorText(tab), before);
    assert.equal(await tab.locator("#words li").count(), words);
    assert.deepEqual(await oldColumns(tab), []);
    assert.match(await tab.locator("#examples option:checked").innerText(), /checker/);
    await drop(tab, [["stream.pm4", exampleFile("stream.pm4")]]);
    await until(tab, () => /^error: stream\.pm4 was not opened: it is a command stream/.test(document.getElementById("message").textContent));
    return tab;
  },
  async "opens a file twice, firmware with its stream, and drops breakpoints with their program"() {
    const tab = await opened();
    await tab.locator(".stop").nth(2).click();
    const place = new URL("../../examples/rogue-disc.rgasm", import.meta.url).pathname;
    for (let time = 0; time < 2; ++time) {
      await tab.setInputFiles("#file", place);
      await until(tab, () => /^rogue/.test(document.getElementById("message").textContent));
      await settled(tab);
      assert.equal(await tab.locator(".stop[aria-pressed=true]").count(), 0);
      await choose(tab, "Midgard: checker");
    }
    const stream = exampleFile("stream.pm4");
    await drop(tab, [["firmware.afuc", exampleFile("firmware.afuc")], ["stream.pm4", stream]]);
    await until(tab, () => /^afuc/.test(document.getElementById("message").textContent));
    await settled(tab);
    assert.equal(await tab.locator("#inputs").inputValue(), stream.toString());
    await typeInputs(tab, "");
    await drop(tab, [["stream.pm4", stream]]);
    await until(tab, (text) => document.getElementById("inputs").value === text, stream.toString());
    await settled(tab);
    const noise = Buffer.alloc(256, 0).map((_, at) => at * 167 + 13 & 255);
    await drop(tab, [["noise.bin", noise]]);
    await tab.waitForTimeout(300);
    await settled(tab);
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
    await choose(tab, "Rogue: disc");
    await tab.uncheck("#quad");
    await settled(tab);
    await tab.click("#step");
    await settled(tab);
    assert.match(await tab.locator("#place").innerText(), /, 1 word executed$/);
    assert.equal(await tab.locator("#registers tr").first().locator("td").count(), 2);
    return tab;
  },
  async "times the paths of the run, as the command does"() {
    const tab = await opened();
    const report = async (expected, says = /^Paths are those of the run with these inputs\.$/) => {
      same(await tab.locator("#report").evaluate((each) => each.textContent), expected, "the report");
      assert.match(await tab.locator("#paths").innerText(), says);
    };
    await choose(tab, "Rogue: Collatz");
    await report(commandTimes("rogue-collatz.rgasm", "--inputs", "rogue-collatz.inputs.json"));
    assert.ok(await tab.locator("#timeline rect").count() > 100, "its loop goes round");
    await choose(tab, "Midgard: light");
    await report(commandTimes("light.vert.bin", "--inputs", "light.inputs.json"));
    await choose(tab, "Midgard: checker");
    await report(commandTimes("checker.frag.bin", "--inputs", "checker.inputs.json", "--threads", "512"));
    await tab.fill("#threads", "3");
    await tab.locator("#threads").blur();
    await tab.waitForTimeout(300);
    await settled(tab);
    await report(commandTimes("checker.frag.bin", "--inputs", "checker.inputs.json", "--threads", "3"));
    await typeInputs(tab, {uniforms: {nothing: 1}});
    await tab.waitForTimeout(300);
    await settled(tab);
    await report(commandTimes("checker.frag.bin", "--threads", "3"), /^The shortest path is assumed, as there is no run: .*nothing/);
    await choose(tab, "afuc: firmware");
    await report(commandTimes("firmware.afuc", "--stream", "stream.pm4"));
    await choose(tab, "Midgard: light");
    await tab.fill("#threads", "0");
    await tab.evaluate(() => { document.querySelector("#inputs").closest("details").open = true; });
    await tab.fill("#inputs", "");
    await tab.locator("#threads").blur();
    await tab.waitForTimeout(300);
    await settled(tab);
    await report(commandTimes("light.vert.bin"), /^Without inputs, the shortest path is assumed/);
    return tab;
  },
  async "times what a slider changes"() {
    const tab = await opened();
    await tab.selectOption("#machine", "midgard:t860");
    await drop(tab, [["loop.frag", Buffer.from("#version 300 es\nprecision highp float;\nuniform float count;\nout vec4 colour;\nvoid main() { float x = 0.0; for (float i = 0.0; i < count; i += 1.0) x = sin(x + i); colour = vec4(x); }\n")]]);
    await tab.locator("#sliders input").waitFor();
    await settled(tab);
    const cycles = async (count) => {
      await tab.locator("#sliders input").fill(String(count));
      await tab.waitForTimeout(600);
      await settled(tab);
      return Number(/^(\d+) cycles for/m.exec(await tab.locator("#report").innerText())[1]);
    };
    const one = await cycles(1), four = await cycles(4);
    assert.ok(four > 2 * one, `${one} cycles, then ${four}`);
    return tab;
  },
  async "has examples that compute something"() {
    const tab = await opened();
    const mesh = ["torus.obj", exampleFile("torus.obj")];
    for (const [label, file, inputs] of [["Midgard: light", "light.vert.bin", "light.inputs.json"], ["Utgard GP: torus", "torus.vert.bin", "torus.inputs.json"]]) {
      await choose(tab, label);
      const side = file.replace(/bin$/, "json"), drawn = await drawnPixels(tab);
      same(drawn, commandPixels([mesh, ...[file, side, inputs].map((name) => [name, exampleFile(name)])], [file, "--inputs", inputs]), label);
      assert.ok(Buffer.from(drawn, "base64").filter((each) => each > 50).length > 3000, label + ": lines are seen");
    }
    return tab;
  },
  async "says what the sections of its tooltips are sections of"() {
    const tab = await opened();
    const titles = () => tab.locator("#fields tr").evaluateAll((all) => all.map((each) => each.title));
    for (const [label, name] of [["Midgard: waves", "midgard"], ["Rogue: disc", "rogue"], ["afuc: firmware", "afuc"]]) {
      await choose(tab, label);
      await tab.locator("#words .pick").nth(label === "afuc: firmware" ? 30 : 1).click();
      await tab.waitForTimeout(100);
      await settled(tab);
      const all = await titles();
      assert.ok(all.length > 2 && all.every((each) => each === "" || new RegExp(`^section \\S+ of mobula's reference of ${name}, docs/reference/${name}\\.md$`).test(each)) && all.some((each) => each !== ""), all.join("\n"));
    }
    await choose(tab, "Midgard: checker");
    await tab.locator(".cm-line", {hasText: "vmul.FMUL"}).first().click();
    await tab.keyboard.press("Home");
    for (let at = 0; at < 4; ++at) await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("F1");
    assert.match(await tab.locator(".cm-tooltip.tip small, .tip small").first().innerText(), /^\w+: section \S+ of mobula's reference of midgard/);
    return tab;
  },
  async "keeps the numbers of threads in sight"() {
    const tab = await opened();
    const places = () => tab.evaluate(() => {
      const line = document.getElementById("timeline");
      line.scrollLeft = 1e6;
      const number = line.querySelector(".numbers text").getBoundingClientRect();
      return {moved: line.scrollLeft, from: number.left - line.getBoundingClientRect().left, seen: document.elementFromPoint(number.left + 3, number.top + 5).closest(".numbers") !== null};
    });
    const {moved, from, seen} = await places();
    assert.ok(moved > 100 && from >= 0 && from < 10 && seen, JSON.stringify({moved, from, seen}));
    await tab.locator("#timeline").focus();
    await tab.keyboard.press("Home");
    const hidden = await tab.evaluate(() => document.querySelector("#timeline .pointed").getBoundingClientRect().left - document.querySelector("#timeline .numbers").getBoundingClientRect().right);
    assert.ok(hidden >= -1, `the first piece is ${-hidden} pixels under the numbers`);
    return tab;
  },
  async "shows the start of a piece that is wider than the timeline"() {
    const tab = await opened();
    await tab.locator("#zoom").fill("40");
    await tab.locator("#timeline").focus();
    await tab.keyboard.press("End");
    await tab.keyboard.press("Home");
    const {from, isWide} = await tab.evaluate(() => {
      const line = document.getElementById("timeline"), piece = line.querySelector(".pointed").getBoundingClientRect();
      return {from: piece.left - line.querySelector(".numbers").getBoundingClientRect().right, isWide: piece.width > line.clientWidth};
    });
    assert.ok(isWide, "the first piece is wider than what is seen");
    assert.ok(from >= -1 && from < 40, `it starts ${from} pixels after the numbers`);
    return tab;
  },
  async "gives no hints about options of the command"() {
    const tab = await opened();
    await choose(tab, "Scoreboard: textbook");
    await drop(tab, [["light.vert.bin", exampleFile("light.vert.bin")]]);
    await until(tab, () => /was not opened/.test(document.getElementById("message").textContent));
    const said = () => tab.locator("#message").innerText();
    assert.match(await said(), /does not say which machine it is for — choose a machine in the list above \[MOB005\]$/);
    for (const [name, bytes, says] of [["a.elf", Buffer.concat([Buffer.from("\x7fELF"), Buffer.alloc(80)]), /ELF file of 32 or 64 bits \[\w+\]$/],
                                       ["a.spvasm", Buffer.from("OpCapability Shader\n"), /not machine code — mobula takes what a compiler made of it; \S+ says how to get that \[\w+\]$/]]) {
      await drop(tab, [[name, bytes]]);
      await until(tab, (name) => document.getElementById("message").textContent.startsWith(`error: ${name} was not opened`), name);
      assert.match(await said(), says);
    }
    await choose(tab, "afuc: firmware");
    await typeInputs(tab, {});
    await settled(tab);
    await until(tab, () => /error/.test(document.getElementById("outcome").textContent));
    assert.doesNotMatch(await tab.locator("#outcome").innerText(), /--[a-z]|mobula run/);
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
  async "draws a mesh that is dropped, as the command does"() {
    const tab = await opened();
    const shader = exampleFile("torus.vert"), inputs = JSON.parse(exampleFile("torus.inputs.json"));
    await tab.selectOption("#machine", "midgard:t860");
    await drop(tab, [["torus.vert", shader]]);
    await until(tab, () => /^midgard:t860, vertex/.test(document.getElementById("message").textContent));
    await settled(tab);
    assert.ok(!await tab.locator("#picture").isVisible(), "there are no vertices yet");
    await typeInputs(tab, {uniforms: inputs.uniforms, line_colour: "vColour", attributes: {aPosition: [0, 0, 0], aNormal: [0, 1, 0]}});
    const mesh = [["torus.obj", exampleFile("torus.obj")]];
    await drop(tab, mesh);
    await until(tab, () => !document.getElementById("picture").hidden && /\d{3} threads ended/.test(document.getElementById("outcome").textContent));
    await settled(tab);
    const files = [["torus.vert", shader], ...mesh, ["in.json", Buffer.from(JSON.stringify({mesh: "torus.obj", uniforms: inputs.uniforms, line_colour: "vColour"}))]];
    const expected = commandPixels(files, ["torus.vert", "-m", "midgard:t860", "--inputs", "in.json"]);
    same(await drawnPixels(tab), expected);
    await tab.click("#share");
    await until(tab, () => location.hash.startsWith("#1="));
    const other = await opened(await tab.evaluate(() => location.hash));
    await settled(other);
    same(await drawnPixels(other), expected, "what a link with a mesh draws");
    assert.match(await other.locator("#files").innerText(), /torus\.obj, \d+ bytes/);
    await drop(tab, [["one.obj", Buffer.from("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 1 0\nf 1//1 2//1 3//1\n")]]);
    await until(tab, () => /^3 threads ended/.test(document.getElementById("outcome").textContent));
    await drop(tab, [["bad.obj", Buffer.from("v 0 0\nf 1 2 99\n")]]);
    await until(tab, () => /error/.test(document.getElementById("outcome").textContent) && document.getElementById("picture").hidden);
    return tab;
  },
  async "reads a picture that is dropped through the shader's sampler, as the command does"() {
    const tab = await opened();
    const shader = Buffer.from("#version 300 es\nprecision highp float;\nuniform sampler2D wall, ground;\nin vec2 uv;\nout vec4 colour;\nvoid main() { vec4 both = texture(wall, uv) * 0.5 + texture(ground, uv.yx) * 0.4; colour = vec4(both.rgb * 0.9 + both.a * 0.1, 1.0); }\n");
    const corners = {corners: {uv: [[0, 0], [1, 0], [0, 1], [1, 1]]}};
    const bricks = exampleFile("bricks.png");
    await tab.selectOption("#machine", "midgard:t860");
    await drop(tab, [["wall.frag", shader], ["in.json", Buffer.from(JSON.stringify(corners))]]);
    await tab.locator("#sliders .sampler").nth(1).waitFor();
    await drop(tab, [["bricks.png", bricks]]);
    await settled(tab);
    await drop(tab, [["deep.png", deepPng()]]);
    await until(tab, () => JSON.parse(document.getElementById("inputs").value).textures?.ground?.file === "deep.png");
    await settled(tab);
    assert.deepEqual(JSON.parse(await tab.locator("#inputs").inputValue()).textures, {wall: {file: "bricks.png"}, ground: {file: "deep.png"}});
    const of = (textures) => commandPixels([["wall.frag", shader], ["bricks.png", bricks], ["deep.png", deepPng()], ["in.json", Buffer.from(JSON.stringify({...corners, textures}))]], ["wall.frag", "-m", "midgard:t860", "--inputs", "in.json"]);
    same(await drawnPixels(tab), of({wall: {file: "bricks.png"}, ground: {file: "deep.png"}}));
    await tab.locator("#sliders .sampler select").last().selectOption("bricks.png");
    await tab.waitForTimeout(300);
    await settled(tab);
    same(await drawnPixels(tab), of({wall: {file: "bricks.png"}, ground: {file: "bricks.png"}}));
    await shot(tab, "texture");
    for (const [name, bytes] of [["cut.png", bricks.subarray(0, 150)], ["bent.png", Buffer.from(bricks.map((each, at) => at === 100 ? each ^ 1 : each))], ["no.png", Buffer.from("no picture")]]) {
      await drop(tab, [[name, bytes]]);
      await tab.waitForTimeout(300);
      await settled(tab);
      await tab.locator("#sliders .sampler select").last().selectOption(name);
      await until(tab, (name) => document.getElementById("outcome").textContent.includes(name + ": not a readable PNG"), name);
    }
    return tab;
  },
  async "spreads what a shader reads over its picture, and shows nothing of an older program beside one that is wrong"() {
    const tab = await opened();
    await tab.selectOption("#machine", "midgard:t860");
    await drop(tab, [["uv.frag", Buffer.from("precision highp float;\nvarying vec2 vUv;\nvoid main() { gl_FragColor = vec4(vUv, 0.0, 1.0); }\n")]]);
    await until(tab, () => document.getElementById("inputs").value.includes("vUv"));
    await settled(tab);
    const pixels = Buffer.from(await drawnPixels(tab), "base64");
    assert.ok(pixels[0] < 3 && pixels[1] < 3 && pixels.at(-3) > 252 && pixels.at(-2) > 252, [...pixels.subarray(0, 3), ...pixels.subarray(-3)].join());
    for (const [name, bytes] of [["wrong.frag", Buffer.from("void main() { gl_FragColor = nothing; }\n")], ["zeros.frag", Buffer.alloc(5000)], ["deep.frag", Buffer.from("void main() { gl_FragColor = vec4(" + "(".repeat(20000) + "1.0" + ")".repeat(20000) + "); }")]]) {
      await drop(tab, [[name, bytes]]);
      await until(tab, () => /error/.test(document.getElementById("message").textContent) && document.querySelectorAll("#words li").length === 0);
      await settled(tab);
      assert.ok(!await tab.locator("#picture").isVisible(), name);
      await choose(tab, "Midgard: checker");
      assert.ok(await tab.locator("#picture").isVisible(), "the page goes on after " + name);
    }
    return tab;
  },
  async "includes files that are dropped"() {
    const tab = await opened();
    await tab.selectOption("#machine", "midgard:t860");
    const shader = Buffer.from('#version 300 es\nprecision highp float;\n#include "lib/tint.glsl"\nout vec4 colour;\nvoid main() { colour = tint(); }\n');
    await drop(tab, [["a.frag", shader]]);
    await until(tab, () => /tint\.glsl/.test(document.getElementById("message").textContent) && /error/.test(document.getElementById("message").textContent));
    await drop(tab, [["tint.glsl", Buffer.from("vec4 tint() { return vec4(1.0, 0.5, 0.25, 1.0); }\n")]]);
    await until(tab, () => /^midgard:t860, fragment: \d+ words/.test(document.getElementById("message").textContent));
    await settled(tab);
    await until(tab, () => /none differs/.test(document.getElementById("verified").textContent));
    assert.deepEqual([...Buffer.from(await drawnPixels(tab), "base64").subarray(0, 3)], [255, 128, 64]);
    await drop(tab, [["tint.glsl", Buffer.from("vec4 tint() { return vec4(0.0); }\n")]]);
    await until(tab, () => document.getElementById("picture").getContext("2d").getImageData(0, 0, 1, 1).data[0] === 0);
    await settled(tab);
    await tab.locator("#files button").click();
    await until(tab, () => /error/.test(document.getElementById("message").textContent));
    return tab;
  },
  async "has sliders for arrays, and matrices as they are written"() {
    const tab = await opened();
    await tab.selectOption("#machine", "midgard:t860");
    const shader = Buffer.from("#version 300 es\nprecision highp float;\nuniform mat2 turn;\nuniform mat2x3 pair[2];\nuniform float weights[3];\nuniform vec2 at[2];\nuniform ivec2 cell;\nout vec4 colour;\n" +
      "void main() { colour = vec4(turn[1].x, pair[1][0].z, weights[2] + at[1].y, float(cell.y)) + vec4(turn * at[0] + (at[1] * float(cell.x)) + vec2(weights[0], weights[1]), pair[0] * at[0]).xyzw * 0.0; }\n");
    await drop(tab, [["many.frag", shader]]);
    await until(tab, () => document.querySelectorAll("#sliders input").length === 25);
    await settled(tab);
    const names = await tab.locator("#sliders").evaluate((place) => [...place.querySelectorAll("input")].map((each) => each.getAttribute("aria-label") ?? each.closest("label").firstChild.textContent));
    assert.deepEqual(names.toSorted(), ["turn[0].x", "turn[0].y", "turn[1].x", "turn[1].y", ...[0, 1].flatMap((each) => [0, 1].flatMap((column) => [..."xyz"].map((part) => `pair[${each}][${column}].${part}`))),
      "weights[0]", "weights[1]", "weights[2]", "at[0].x", "at[0].y", "at[1].x", "at[1].y", "cell.x", "cell.y"].toSorted());
    assert.equal(await tab.locator("#sliders table").first().locator("tr").first().locator("input").nth(1).getAttribute("title"), "turn[1].x", "columns beside each other");
    await tab.locator("#sliders [title='turn[1].x']").fill("0.5");
    await tab.locator("#sliders [title='pair[1][0].z']").fill("0.25");
    const slide = (name, value) => tab.locator("#sliders label", {hasText: name}).locator("input").fill(String(value));
    await slide("weights[2]", 0.5);
    await slide("at[1].y", 0.25);
    await slide("cell.y", 1);
    await tab.waitForTimeout(300);
    await settled(tab);
    const {uniforms} = JSON.parse(await tab.locator("#inputs").inputValue());
    assert.deepEqual(uniforms, {turn: [[0, 0], [0.5, 0]], pair: [[0, 0, 0], [0, 0, 0], [0, 0, 0.25], [0, 0, 0]], weights: [0, 0, 0.5], at: [[0, 0], [0, 0.25]], cell: [0, 1]});
    assert.deepEqual([...Buffer.from(await drawnPixels(tab), "base64").subarray(0, 3)], [128, 64, 191]);
    await tab.getByRole("button", {name: "Identity: turn"}).click();
    assert.deepEqual(JSON.parse(await tab.locator("#inputs").inputValue()).uniforms.turn, [[1, 0], [0, 1]]);
    await tab.locator("section[aria-labelledby=h-does]").screenshot({path: `${shots}/uniforms.png`});
    return tab;
  },
  async "keeps the picture while a shader loses names that its inputs give"() {
    const tab = await opened();
    await choose(tab, "GLSL: ripple");
    const before = await tab.locator("#inputs").inputValue();
    await retype(tab, "precision mediump float;\nuniform float time;\nvoid main() { gl_FragColor = vec4(time * 0.25, 0.0, 0.0, 1.0); }\n");
    assert.match(await tab.locator("#outcome").innerText(), /threads ended[^]*left out, as the shader has no such name: .*place/);
    assert.ok(await tab.locator("#picture").isVisible());
    assert.equal(await tab.locator("#inputs").inputValue(), before, "names that come back have their values");
    await retype(tab, "void main() { for (;;) {} }\n");
    await until(tab, () => /nothing to compare/.test(document.getElementById("verified").textContent));
    return tab;
  },
  async "begins sliders with the values of the declarations"() {
    const tab = await opened("", {viewport: {width: 1280, height: 900}});
    await tab.selectOption("#machine", "midgard:t860");
    await drop(tab, [["a.frag", Buffer.from("#version 120\nuniform float bright = 0.75;\nuniform ivec2 steps = ivec2(3, -2);\nvoid main() { gl_FragColor = vec4(bright, steps, 1.0); }\n")]]);
    await until(tab, () => document.querySelectorAll("#sliders input").length === 3);
    assert.deepEqual(await tab.locator("#sliders input").evaluateAll((all) => all.map(({value}) => value)), ["0.75", "3", "-2"]);
    return tab;
  },
  async "has a control for each uniform, whatever it was given, and room for it"() {
    const tab = await opened("", {viewport: {width: 1280, height: 900}});
    await tab.selectOption("#machine", "midgard:t860");
    const shader = "#version 300 es\nprecision highp float;\nuniform bool on;\nuniform mat4 turn;\nuniform float odd, far, bits, big;\nout vec4 colour;\nvoid main() { colour = turn * vec4(odd, far, bits, big) + (on ? vec4(1.0) : vec4(0.0)); }\n";
    await drop(tab, [["a.frag", Buffer.from(shader)], ["a.inputs.json", Buffer.from('{"uniforms": {"odd": "nan", "far": 1e999, "bits": ["0x7fc00000"], "big": 12345.5}}')]]);
    await until(tab, () => document.querySelectorAll("#sliders input").length === 21);
    await settled(tab);
    for (const each of await tab.locator("#sliders input[type=range]").all()) assert.match(`${await each.getAttribute("min")} ${await each.getAttribute("max")}`, /^-4 (4|12345\.5)$/);
    const isIn = () => tab.evaluate(() => {
      const place = document.querySelector("section[aria-labelledby=h-does]");
      return [place, ...document.querySelectorAll("#sliders, .matrix")].every((each) => each.scrollWidth <= each.clientWidth) &&
        [...document.querySelectorAll("#sliders output, .matrix input")].every((each) => each.scrollWidth <= each.clientWidth + 1 && each.getBoundingClientRect().right <= place.getBoundingClientRect().left + place.clientWidth);
    });
    for (const width of [360, 768, 1280]) {
      await tab.setViewportSize({width, height: 900});
      assert.ok(await isIn(), `at ${width} pixels`);
      await tab.locator("section[aria-labelledby=h-does]").screenshot({path: `${shots}/controls-${width}.png`});
    }
    await tab.locator("#sliders input[type=checkbox]").check();
    await settled(tab);
    assert.equal(JSON.parse(await tab.locator("#inputs").inputValue()).uniforms.on, 1);
    assert.ok(await tab.locator("#fields").evaluate((table) => table.closest(".scroll").scrollWidth <= table.closest(".scroll").clientWidth), "the fields fit");
    for (const wrong of ["-5", "1000000000"]) {
      await tab.fill("#threads", wrong);
      await tab.locator("#threads").blur();
      assert.match(await tab.locator("#threads-hint").innerText(), /^a whole number from 0 to 1024; it is still 0$/);
      assert.equal(await tab.locator("#threads").getAttribute("aria-invalid"), "true");
    }
    await settled(tab);
    return tab;
  },
  async "executes a shader beside its source, and stops that when it is told to"() {
    const tab = await opened();
    assert.ok(!await tab.locator("#verify-part").isVisible());
    await choose(tab, "GLSL: ripple");
    await until(tab, () => /: 16 runs, \d+ numbers compared, none differs/.test(document.getElementById("verified").textContent));
    const found = JSON.parse(execFileSync(command, ["compile", new URL("../../examples/ripple.frag", import.meta.url).pathname, "-m", "midgard:t860", "--json"], {encoding: "utf8"})).result.verified;
    const says = await tab.locator("#verified").innerText();
    assert.ok(says.startsWith(`Executed beside its source: ${found.runs} runs, ${found.compared} numbers compared`) && (found.open === 0 || says.includes(` ${found.open} more`)), says);
    await tab.locator(".cm-content").click();
    await tab.keyboard.press("Control+A");
    // Many lines: a loop may go round ten thousand times.
    await tab.keyboard.insertText(`#version 300 es\nprecision highp float;\nuniform float f;\nout vec4 c;\nvoid main() {\n  float x = f;\n  for (int i = 0; i < 8000; ++i) {\n${"    x = fract(x * 1.1 + float(i));\n".repeat(16)}  }\n  c = vec4(x);\n}\n`);
    await tab.waitForSelector("#verify-stop", {timeout: patience});
    await tab.waitForTimeout(500);
    assert.ok(await tab.locator("#verify-stop").isVisible(), await tab.locator("#verified").innerText());
    await tab.click("#verify-stop");
    await until(tab, () => /^Not verified. Cancelled/.test(document.getElementById("verified").textContent));
    await choose(tab, "GLSL: ripple");
    await until(tab, () => /none differs/.test(document.getElementById("verified").textContent));
    await choose(tab, "Midgard: checker");
    assert.ok(!await tab.locator("#verify-part").isVisible());
    return tab;
  },
  async "works by keyboard alone"() {
    const tab = await opened();
    await settled(tab);
    const key = async (...names) => { for (const name of names) await tab.keyboard.press(name); };
    /** What has the focus: its name, whether one sees that it has, whether it comes after what had it before. */
    const focused = () => tab.evaluate(() => {
      const here = document.activeElement, before = window.before, box = here.getBoundingClientRect();
      window.before = here;
      const ring = getComputedStyle(here.closest(".cm-editor") ?? here);
      return {
        name: here.id || here.getAttribute("aria-label") || here.className || here.tagName,
        isSeen: ring.outlineStyle !== "none" && parseFloat(ring.outlineWidth) > 0 && box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
        isNext: !before || Boolean(before.compareDocumentPosition(here) & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY)),
      };
    });
    const passed = [];
    for (let stop = 0; stop < 80; ++stop) {
      await key("Tab");
      const here = await focused();
      if (here.name === "BODY" || (stop > 0 && here.name === passed[0])) break;
      assert.ok(here.isSeen, `one does not see that ${here.name} has the focus, after ${passed.at(-1)}`);
      assert.ok(here.isNext, `${here.name} comes after ${passed.at(-1)}`);
      passed.push(here.name);
    }
    const wanted = ["examples", "lessons", "machine", "file", "share", "Source", "stop", "pick", "zoom", "threads", "timeline", "report", "outcome", "quad", "restart", "back", "step", "go", "tab-picture", "view", "show-licences"];
    const places = wanted.map((name) => passed.findIndex((each) => each === name || each.split(" ").includes(name) || (name === "stop" && each.startsWith("Breakpoint")) || (name === "timeline" && each === "Timeline")));
    assert.ok(places.every((each, at) => each >= 0 && (at === 0 || each > places[at - 1])), `${wanted.map((name, at) => name + " " + places[at])}\nof ${passed}`);
    assert.ok(passed.length < 60, `the way through all of it has ${passed.length} stops`);
    const goTo = async (id) => {
      for (let tries = 0; tries < 120; ++tries) {
        await key("Tab");
        if (await tab.evaluate((id) => document.activeElement.id === id || document.activeElement.matches("." + id), id)) return;
      }
      throw new Error("Tab does not come to " + id);
    };
    // Another example, by its list.
    await goTo("examples");
    await key("ArrowDown");
    await until(tab, () => /checker/.test(document.getElementById("examples").selectedOptions[0].textContent));
    await tab.waitForTimeout(300);
    await settled(tab);
    // A line of the source chooses its word; the manual on it.
    await goTo("cm-content");
    await key("Control+End");
    for (let tries = 0; !/^\s*v(mul|add)\.F/.test(await tab.locator(".cm-activeLine").innerText()); ++tries) {
      assert.ok(tries < 50, await editorText(tab));
      await key("ArrowUp");
    }
    const last = await tab.locator("#words .chosen .offset").textContent();  // it may be scrolled out of sight
    await key("End", "Home", "ArrowRight", "Control+ArrowRight", "ArrowRight", "F1");
    await tab.waitForSelector(".cm-tooltip.tip");
    // Words by arrows, and a breakpoint.
    await goTo("pick");
    assert.equal(await tab.evaluate(() => document.activeElement.querySelector(".offset").textContent), last, "the chosen word is the one that Tab comes to");
    await key("Home", "ArrowDown", "ArrowDown");
    const third = await tab.locator("#words .offset").nth(2).innerText();
    assert.equal(await tab.locator("#words .chosen .offset").innerText(), third);
    await key("Shift+Tab", "Space");
    assert.equal(await tab.locator(".stop").nth(2).getAttribute("aria-pressed"), "true");
    // The timeline, piece by piece.
    await goTo("zoom");
    await goTo("scroll");
    await key("ArrowRight", "ArrowRight", "ArrowDown");
    assert.match(await tab.locator("#sentence").innerText(), /thread 1, cycles \d+/);
    const said = () => tab.locator("#sentence").innerText();
    await key("Home");
    const start = await said();
    await key("End");
    assert.notEqual(await said(), start);
    await key("Home");
    assert.equal(await said(), start);
    // To the breakpoint, forward and back.
    await goTo("go");
    await key("Enter");
    await settled(tab);
    const place = () => tab.locator("#place").innerText();
    assert.ok((await place()).startsWith(`next: ${third},`), await place());
    await key("Shift+Tab", "Enter");
    await settled(tab);
    assert.ok(!(await place()).startsWith(`next: ${third},`));
    await key("Shift+Tab", "Enter");
    await settled(tab);
    assert.ok((await place()).startsWith(`next: ${third},`));
    // Views by arrows.
    await goTo("tab-picture");
    await key("ArrowRight");
    await until(tab, () => document.activeElement.id === "tab-flow" && document.querySelectorAll(".block").length > 0);
    // A file by the dialogue that the browser has for it.
    await goTo("file");
    const chooser = tab.waitForEvent("filechooser");
    await key("Space");
    await (await chooser).setFiles([new URL("../../examples/rogue-disc.rgasm", import.meta.url).pathname]);
    await until(tab, () => /^rogue/.test(document.getElementById("message").textContent));
    await settled(tab);
    await goTo("share");
    await key("Enter");
    await until(tab, () => location.hash.startsWith("#1="));
    // A lesson: its change, and its question.
    await goTo("lessons");
    await key("ArrowDown");
    await until(tab, () => !document.getElementById("lesson").hidden);
    await tab.waitForTimeout(300);
    await settled(tab);
    const {solution, question} = JSON.parse(readFileSync(new URL("../lessons/1-bundle.json", import.meta.url), "utf8"));
    await goTo("cm-content");
    await key("Control+a");
    await tab.keyboard.insertText(solution.text.join("\n") + "\n");
    await until(tab, () => !document.getElementById("lesson-question").hidden);
    for (let tries = 0; !await tab.evaluate(() => document.activeElement.matches("#lesson-question input")); ++tries) {
      assert.ok(tries < 60, "Tab comes to the question");
      await key("Shift+Tab");
    }
    await key("Space");
    for (let tries = 0; await tab.locator("#lesson-question input").nth(question.answer).isChecked() === false; ++tries) {
      assert.ok(tries < question.choices.length, "arrows come to each choice");
      await key("ArrowDown");
    }
    assert.match(await tab.locator("#lesson-answer").innerText(), /^Right/);
    // What is in a dialogue stays there, and it can be left.
    await goTo("show-licences");
    await key("Enter");
    await until(tab, () => document.getElementById("licences-part").open);
    await key("Escape");
    await until(tab, () => !document.getElementById("licences-part").open);
    return tab;
  },
  async "names the licences of all that is in it"() {
    const tab = await opened();
    await tab.click("#show-licences");
    await until(tab, () => document.getElementById("licences-text").textContent.length > 10000);
    const text = await tab.locator("#licences-text").innerText();
    for (const each of ["MIT License", "package glslang-dev", "package spirv-tools", "Apache License", "package libfmt-dev", "package nlohmann-json3-dev", "package libhwy-dev", "package libstb-dev", "package wasi-libc", "package libc++-19-dev-wasm32", "npm package codemirror", "npm package @codemirror/view", "npm package @lezer/common"])
      assert.ok(text.includes(each), each);
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
    const shown = async () => {
      await settled(tab);
      return Promise.all(["#place", "#waits", "#registers"].map((each) => tab.locator(each).innerText()));
    };
    const seen = [await shown()];
    for (let step = 0; step < 8; ++step) {
      await tab.click("#step");
      seen.push(await shown());
      assert.notEqual(seen.at(-1)[0], seen.at(-2)[0]);
      assert.ok(await tab.locator("#words li.next").count() === 1);
    }
    assert.ok(seen.some(([, events]) => /0x8100/.test(events)), "it writes a register");
    for (seen.pop(); seen.length > 1; seen.pop()) {
      await tab.click("#back");
      assert.deepEqual(await shown(), seen.at(-1), "back shows what was there");
    }
    await tab.click("#back");
    assert.equal((await shown())[0], seen[0][0]);
    await tab.click("#go");
    const [, ofStream, ofAll] = /^it has stopped.*, (\d+) instructions of the stream, (\d+) with those of the boot, executed$/.exec((await shown())[0]);
    assert.match(await tab.locator("#outcome").innerText(), new RegExp(`after ${ofAll} instructions`), "the outcome counts all of them");
    assert.match(await tab.locator("#report").innerText(), new RegExp(`^counters: INSTRUCTIONS=${ofStream}$`, "m"), "the report those of the stream");
    for (const text of await tab.locator("#words .pick span:nth-child(2)").allInnerTexts()) assert.doesNotMatch(text, /^\w+:/, "a word without its label");
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
    const times = await tab.locator("#beside > div").first().locator("pre").evaluateAll((all) => all.map((each) => each.textContent));
    assert.deepEqual(times, [commandTimes("checker.frag.bin"), commandTimes("checker.frag.bin", "--inputs", "checker.inputs.json", "--threads", "512")]);
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
    await tab.fill("#threads", "7");
    await tab.locator("#threads").blur();
    await settled(tab);
    for (const [index, name] of names.entries()) {
      const lesson = JSON.parse(readFileSync(new URL("../lessons/" + name, import.meta.url), "utf8"));
      await tab.selectOption("#lessons", String(index));
      await tab.waitForTimeout(300);
      await settled(tab);
      const state = () => tab.locator("#lesson-state").innerText();
      assert.match(await state(), /^Not yet/, name);
      assert.equal(await tab.locator("#examples").inputValue(), "", "no example is shown");
      assert.doesNotMatch(await tab.locator("#message").innerText(), /(^|\n)error/, name);
      assert.ok(!await tab.locator("#lesson-question").isVisible());
      if (lesson.text.length) {
        await retype(tab, await editorText(tab) + "\n");
        assert.match(await state(), /^Not yet. ./, name + ": a change that changes nothing");
      }
      if (name.startsWith("5")) {
        await retype(tab, lesson.text.join("\n").replace("s=F1[0:4)", "s=F9[4:8)") + "\n");
        assert.match(await state(), /^Not yet. Operation 1 no longer waits/);
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
    assert.equal(await tab.locator("#threads").inputValue(), "7", "as before the lessons");
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
      tab.setDefaultTimeout(patience);
      const asked = [];
      tab.problems = [];
      tab.on("request", (request) => { if (!/^(blob|data):/.test(request.url())) asked.push(request.url()); });
      tab.on("pageerror", (error) => tab.problems.push("error: " + error.message));
      tab.on("console", (line) => { if (line.type() === "error") tab.problems.push("console: " + line.text()); });
      const answer = await tab.goto(from);
      assert.match(answer.headers()["content-security-policy"], /script-src 'wasm-unsafe-eval' 'sha256-.*frame-ancestors 'none'$/);
      await tab.waitForSelector("body[data-ready]", {timeout: patience});
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
      assert.doesNotMatch(says, /unexpected end|^error|\nerror|^[^:]*:[^:]*, unknown:/, `${label}: ${says}`);
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
    assert.equal(await narrow.evaluate(() => scrollY), 0, "it starts at its top");
    await narrow.locator("#words .pick").nth(3).focus();
    await narrow.evaluate(() => scrollTo(0, 0));
    await narrow.locator("#timeline rect").last().dispatchEvent("mouseenter");
    assert.equal(await narrow.evaluate(() => scrollY), 0, "what is chosen elsewhere moves lists, not the page");
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
  for (const each of browser.contexts()) await each.close();
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
