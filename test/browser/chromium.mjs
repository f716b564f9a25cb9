// Debian's Chromium, driven by playwright-core from where tools/prerequisites put it.
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const modules = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "onceswap", "browser", "current");
if (!existsSync(join(modules, "node_modules")) || !existsSync("/usr/bin/chromium")) {
  console.error("browser tests: playwright-core or chromium is missing: run tools/prerequisites");
  process.exit(1);
}
const require = createRequire(join(modules, "package.json"));
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8");

/** A browser with a new profile, which `close` removes. `options` as playwright's contexts take them. */
export async function openBrowser(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "onceswap-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1280, height: 900 },
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
    ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/**
 * What axe-core finds on a page, each as one line. The page's own policy forbids foreign scripts, so axe is evaluated
 * through the debugger and not put into the page.
 */
export async function accessibilityProblems(page) {
  await page.evaluate(axeSource);
  const results = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return results.violations.map(
    (one) => `${one.id} (${one.impact}): ${one.help}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`,
  );
}
