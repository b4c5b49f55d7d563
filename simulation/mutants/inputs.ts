import type { Mutant } from './mutant.ts'

const foundBy = 'test/proofs/random-inputs.test.ts'

/** Faults in what is done with what people and other software send. */
export const inputs: readonly Mutant[] = [
  {
    name: 'what was sent is used instead of what the contract made of it',
    foundBy,
    edits: [
      {
        file: 'src/server/http/server.ts',
        find: `    return parsed.value\n`,
        replace: `    return given\n`,
      },
    ],
  },
  {
    name: 'a language that there cannot be breaks the page',
    foundBy,
    edits: [
      {
        file: 'src/server/http/mounts/guest-language.ts',
        find: `  } catch {\n    return []\n`,
        replace: `  } catch (error) {\n    throw error\n`,
      },
    ],
  },
  {
    name: 'a scanned link is taken apart before it is known to be one',
    foundBy,
    edits: [
      {
        file: 'src/client/features/guest/entry/scanned-code.ts',
        find: `if (URL.canParse(text)) {`,
        replace: `if (text.includes(':')) {`,
      },
    ],
  },
]
