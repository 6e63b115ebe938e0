// page.mjs PAGE.html SHOTS: the main ways through the page, in Chromium.
import assert from "node:assert/strict";
import {existsSync, mkdirSync, readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import {resolve} from "node:path";
import {chromium} from "playwright-core";

const [page, shots] = process.argv.slice(2);
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
async function until(tab, is) {
  for (let tries = 0; tries < 300; ++tries) {
    if (await tab.evaluate(is)) return;
    await tab.waitForTimeout(100);
  }
  throw new Error("never came: " + is);
}
const settled = (tab) => tab.waitForSelector("#cancel[hidden]", {state: "attached", timeout: 60000});
const shot = (tab, name) => tab.screenshot({path: `${shots}/${name}.png`});
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
  async "opens a file that is dropped"() {
    const tab = await opened();
    const bytes = [...readFileSync(new URL("../../examples/light.gpe", import.meta.url))];
    assert.ok(bytes.length > 0);
    await tab.evaluate(() => {
      const carried = new DataTransfer();
      carried.items.add(new File([new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])], "fw.bin"));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
    });
    await settled(tab);
    assert.ok((await tab.locator("#message").innerText()).length > 0);
    return tab;
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
for (const [name, way] of Object.entries(ways)) {
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
