import { CASES, testCase } from "./outcomes.ts";

for (const each of CASES.filter(({ isSlow }) => isSlow)) testCase(each);
