#!/usr/bin/env node
/**
 * Runs Tableside on the Node that npm installed beside it. Plain JavaScript that Node 20 understands, because any Node
 * from then on may be the one that reads this.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A checkout has the source, the package only what is compiled from it. */
const source = new URL('../src/server/cli/main.ts', import.meta.url)
const entry = existsSync(source) ? source : new URL('../lib/server/cli/main.js', import.meta.url)
const require = createRequire(import.meta.url)
const { optionalDependencies } = require('../package.json')

/** npm installs the one for this machine, of packages that all have the same version. */
const nodePackages = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-'))
const version = optionalDependencies[nodePackages[0]]

function findNode() {
  for (const name of nodePackages) {
    try {
      const manifest = require.resolve(`${name}/package.json`)
      return join(manifest, '..', require(manifest).bin.node)
    } catch {}
  }
  return null
}

const node = process.versions.node === version ? null : findNode()
if (node !== null) runOn(node)
else if (parseInt(process.versions.node) >= parseInt(version)) await import(entry)
else {
  console.error(
    `Tableside needs Node ${version}, this is ${process.versions.node}, and npm installed none for ${process.platform} on ${process.arch}.\nPlease install Node ${version}, or repeat npm install without --omit=optional`,
  )
  process.exitCode = 1
}

function runOn(node) {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const server = spawn(node, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal))
  // A terminal sends it to both.
  process.on('SIGINT', () => {})
  server.once('error', (error) => {
    console.error(`${node} could not be started: ${error.message}`)
    process.exitCode = 1
  })
  server.once('exit', (code, signal) => {
    if (code === 127 && process.platform === 'linux')
      console.error(`Node ${version} lacks a library here. On Debian and Ubuntu: apt-get install libatomic1`)
    if (signal === null) process.exitCode = code
    else {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
  })
}
