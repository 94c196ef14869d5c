/** Prints what becomes of paths in a process that takes itself for one on Windows. */
const FOLDER = "C:\\Users\\ada\\shop";

// The modules of paths read the name of the system once, so they are imported afterwards.
const { build } = Deno;
Object.defineProperties(Deno, {
  build: { value: { ...build, os: "windows" } },
  cwd: { value: () => FOLDER },
  realPathSync: { value: (path: string) => path },
});
Deno.env.set("HOME", "C:\\Users\\ada");
const { covers, isCached, smallest } = await import(
  "../../../src/cli/permissions/coverage.ts"
);
const { displayName, displayPath } = await import(
  "../../../src/cli/permissions/modules.ts"
);
const { Project } = await import(
  "../../../src/cli/permissions/permission_set.ts"
);
const { permissionOf } = await import(
  "../../../src/cli/permissions/record.ts"
);

const read = (value: string) => ({ kind: "read", value }) as const;
const listed = (...paths: readonly string[]) =>
  smallest(paths.map(read), []).map(({ value }) => value);

const below = (name: string) => `${FOLDER}\\${name}`;
const project = Project.find(FOLDER)!;
project.write(
  "serve",
  [below("api"), "C:\\Users\\ada\\other\\x", "C:\\Windows\\x", "D:\\x"]
    .map(read),
);
console.log(JSON.stringify({
  covered: [
    covers(read("data"), read(below("data\\a"))),
    covers(read(below("data")), read(below("database"))),
    covers(read("."), read("D:\\a")),
  ],
  requested: [
    permissionOf({ kind: "read", value: "data\\a", pid: 0 }),
    permissionOf({ kind: "run", value: ".\\tool.exe", pid: 0 }),
    permissionOf({ kind: "run", value: "git", pid: 0 }),
  ].map(({ value }) => value),
  files: listed(below("data\\a"), below("data\\b"), below("data\\c")),
  own: listed(below("a"), below("b"), below("c")),
  above: listed("C:\\Users\\a", "C:\\Users\\b", "C:\\Users\\c"),
  drive: listed("D:\\a", "D:\\b", "D:\\c"),
  random: listed(below("data\\0badcafe1\\x.png")),
  elsewhere: listed("D:\\20260101\\x.png", "D:\\x\\0badcafe1"),
  shown: [
    displayPath(below("data\\a")),
    displayPath("D:\\a"),
    displayName("file:///C:/Users/ada/shop/lib/a.ts"),
    displayName("file:///C:/Users/ada/shop/node_modules/zod/index.js"),
  ],
  cached: isCached(read("C:\\Users\\ada\\AppData\\Local\\deno\\npm\\x")),
  written: JSON.parse(Deno.readTextFileSync(below("deno.json"))).permissions,
  found: Project.find(FOLDER)!.set("serve")!.allow.map(({ value }) => value),
}));
