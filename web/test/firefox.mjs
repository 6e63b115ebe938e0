// firefox.mjs PAGE.html: the main ways through the page in Firefox, by WebDriver BiDi on a socket of this computer. Run with
// --experimental-websocket on Node 20.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {resolve} from "node:path";
import {pathToFileURL} from "node:url";

const address = pathToFileURL(resolve(process.argv[2])).href;
const profile = mkdtempSync(tmpdir() + "/mobula-firefox-");
const firefox = spawn(process.env.FIREFOX ?? "firefox-esr", ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"], {stdio: ["ignore", "ignore", "pipe"]});
process.on("exit", () => firefox.kill());
const ended = new Promise((resolve) => firefox.once("close", resolve));
const end = async () => {
  firefox.kill();
  await ended;
  rmSync(profile, {recursive: true, force: true, maxRetries: 5});
};

/** Where it listens: the first line that says so. */
const place = await new Promise((resolve, reject) => {
  let said = "";
  firefox.stderr.on("data", (piece) => {
    const found = /WebDriver BiDi listening on (ws:\/\/127\.0\.0\.1:\d+)/.exec(said += piece);
    if (found) resolve(found[1]);
  });
  firefox.once("close", () => reject(new Error("Firefox ended: " + said.slice(-500))));
  setTimeout(() => reject(new Error("Firefox does not listen: " + said.slice(-500))), 240000).unref();
});
const socket = new WebSocket(place + "/session");
await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
const waiting = new Map();
const problems = [];
socket.onmessage = ({data}) => {
  const message = JSON.parse(data);
  if (message.method === "log.entryAdded" && message.params.level === "error") problems.push("console: " + message.params.text);
  if (message.method === "network.beforeRequestSent" && !/^(file|blob|data):/.test(message.params.request.url)) problems.push("request: " + message.params.request.url);
  const wanted = waiting.get(message.id);
  waiting.delete(message.id);
  if (wanted) message.type === "error" ? wanted.reject(new Error(message.message)) : wanted.resolve(message.result);
};
let next = 0;
const command = (method, params = {}) => new Promise((resolve, reject) => {
  waiting.set(++next, {resolve, reject});
  socket.send(JSON.stringify({id: next, method, params}));
});
await command("session.new", {capabilities: {}});
await command("session.subscribe", {events: ["log.entryAdded", "network.beforeRequestSent"]});
let context;
/** The value of an expression in the page, by way of JSON. */
async function value(expression) {
  const {type, result, exceptionDetails} = await command("script.evaluate", {expression: `(async () => JSON.stringify(await (${expression})))()`, target: {context}, awaitPromise: true});
  if (type !== "success") throw new Error(exceptionDetails.text);
  return result.type === "undefined" ? undefined : JSON.parse(result.value);
}
async function until(expression) {
  for (let tries = 0; tries < 2400; ++tries) {
    if (await value(expression)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("never came: " + expression);
}
const settled = async () => {
  await new Promise((resolve) => setTimeout(resolve, 400));
  await until(`document.getElementById("busy").hidden`);
};
async function opened(fragment = "") {
  ({context} = await command("browsingContext.create", {type: "tab"}));
  await command("browsingContext.navigate", {context, url: address + fragment, wait: "complete"});
  await until(`document.body.dataset.ready === "true"`);
  await settled();
}
const text = (selector) => value(`document.querySelector(${JSON.stringify(selector)}).innerText`);
const count = (selector) => value(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
const click = async (selector) => {
  await value(`document.querySelector(${JSON.stringify(selector)}).click()`);
  await settled();
};
const select = async (selector, label) => {
  await value(`(() => {
    const list = document.querySelector(${JSON.stringify(selector)});
    list.value = [...list.options].find((each) => each.text.includes(${JSON.stringify(label)})).value;
    list.dispatchEvent(new Event("change"));
  })()`);
  await settled();
};

const ways = {
  async "starts with an example in four columns"() {
    await opened();
    assert.ok(await count("#words li") > 3);
    assert.match(await text("#outcome"), /threads ended/);
    assert.match(await text("#report"), /cycles/);
    assert.ok(await count("#timeline rect") > 3);
  },
  async "links the columns"() {
    await click("#words li:nth-child(3) .pick");
    assert.equal(await count("#words li:nth-child(3).chosen"), 1);
    assert.equal(await count(".chosen-line"), 1);
    assert.ok(await count("#timeline rect.chosen") > 0);
    assert.ok(await count("#fields tr") > 3);
  },
  async "steps forward and back"() {
    await click("#restart");
    const first = await text("#place");
    await click("#step");
    assert.notEqual(await text("#place"), first);
    await click("#back");
    assert.equal(await text("#place"), first);
  },
  async "gives back what a link holds"() {
    await select("#examples", "Rogue: disc");
    await click("#share");
    const hash = await value("location.hash");
    const before = await text(".cm-content");
    await opened(hash);
    assert.equal(await text(".cm-content"), before);
    assert.match(await text("#message"), /rogue/);
  },
  async "compiles a shader"() {
    await select("#examples", "GLSL: ripple");
    await until(`/^midgard:t860, fragment: \\d+ words/.test(document.getElementById("message").innerText)`);
    await settled();
    assert.ok(await count("#costs tbody tr") > 1);
    assert.ok(await count("#words .same-line") > 0);
  },
  async "opens a file that is dropped"() {
    await value(`(() => {
      const carried = new DataTransfer();
      carried.items.add(new File(["0 add d=I1 s=I2,I3\\n1 add d=I4 s=I1,I3\\n"], "two.sb"));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
    })()`);
    await until(`document.querySelectorAll("#words li").length === 2`);
    await settled();
    await click("#step");
    assert.match(await text("#place"), /after clock 1/);
  },
  async "draws a mesh, reads a picture, and executes a shader beside its source"() {
    await select("#examples", "GLSL: torus");
    await until(`/^\\d{3} threads ended/.test(document.getElementById("outcome").innerText)`);
    const colours = () => value(`(() => { const canvas = document.getElementById("picture"); return new Set(new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size; })()`);
    assert.ok(await colours() > 20, "lines of many colours");
    await until(`/: 16 runs, \\d+ numbers compared, none differs/.test(document.getElementById("verified").innerText)`);
    await select("#examples", "Midgard: bricks");
    await until(`/^36864 threads ended/.test(document.getElementById("outcome").innerText)`);
    assert.ok(await colours() > 20);
  },
  async "goes through lessons to their end"() {
    for (const [number, name] of [[1, "1-bundle"], [4, "4-matrix"], [6, "6-exposed"], [7, "7-group"]]) {
      const {solution, question} = JSON.parse(readFileSync(new URL(`../lessons/${name}.json`, import.meta.url), "utf8"));
      await select("#lessons", number + ". ");
      assert.match(await text("#lesson-state"), /^Not yet/, name);
      await value(`(() => {
        const content = document.querySelector(".cm-content");
        content.focus();
        document.execCommand("selectAll");
        document.execCommand("insertText", false, ${JSON.stringify(solution.text.join("\n") + "\n")});
      })()`);
      await until(`/^Done/.test(document.getElementById("lesson-state").innerText)`);
      await value(`document.querySelectorAll("#lesson-question input")[${question.answer}].click()`);
      assert.match(await text("#lesson-answer"), /^Right/, name);
    }
  },
  async "begins a lesson"() {
    await select("#lessons", "exposed");
    assert.match(await text("#lesson-state"), /^Not yet/);
    assert.ok(await count("#view img") > 0);
  },
  async "shows a command stream"() {
    await select("#examples", "afuc");
    await click("#tab-stream");
    assert.ok(await count(".packets > li") > 3);
  },
};

let failed = 0;
try {
  for (const [name, way] of Object.entries(ways)) {
    try {
      await way();
      assert.deepEqual(problems.splice(0), []);
      console.log("ok   " + name);
    } catch (problem) {
      ++failed;
      console.log(`FAIL ${name}: ${problem.message}`);
    }
  }
} finally {
  socket.close();
  await end();
}
process.exit(failed === 0 ? 0 : 1);
