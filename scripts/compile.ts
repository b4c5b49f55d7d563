/**
 * Compiles `src/server` and `src/contract` into `lib`, file by file and under the same names: Node does not strip types
 * from packages below `node_modules`. A checkout runs the sources as they are.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'

const root = join(import.meta.dirname, '..')

/** Threads are started by the name of their file. */
const compiledThreads: Plugin = {
  name: 'compiled-threads',
  enforce: 'pre',
  transform: (code) => code.replaceAll(/(?<=new URL\('[^']+)\.ts(?=', import\.meta\.url\))/gu, '.js'),
}

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [compiledThreads],
  build: {
    outDir: 'lib',
    emptyOutDir: true,
    ssr: true,
    target: 'esnext',
    rolldownOptions: {
      // All of them, so that every thread and command is there without being listed.
      input: globSync('src/{server,contract}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }),
      output: { preserveModules: true, preserveModulesRoot: join(root, 'src'), entryFileNames: '[name].js' },
    },
  },
})
