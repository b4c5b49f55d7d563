import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv, type ValidateFunction } from 'ajv'
import { Stripe } from 'stripe'

const root = join(import.meta.dirname, '../../..')

let loaded: Promise<(type: string) => ValidateFunction> | undefined

/** Validates parameters by the types of the installed Stripe package; built once for each version of it. */
export const stripeSchemas = (): Promise<(type: string) => ValidateFunction> => (loaded ??= load())

async function load(): Promise<(type: string) => ValidateFunction> {
  const file = join(root, `node_modules/.cache/tableside/stripe-${Stripe.PACKAGE_VERSION}.json`)
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (!exists) await promisify(execFile)(process.execPath, [join(root, 'scripts/stripe-schemas.ts'), file])
  const schemas: Record<string, object> = JSON.parse(await readFile(file, 'utf8'))
  // Forms carry only text, so "true" and "5" are read as a boolean and a number.
  const ajv = new Ajv({ coerceTypes: true, strict: false })
  const compiled = new Map<string, ValidateFunction>()
  return (type) => {
    const schema = schemas[type]
    if (!schema) throw new Error(`No schema for ${type}: add it to scripts/stripe-schemas.ts`)
    const known = compiled.get(type) ?? ajv.compile(schema)
    compiled.set(type, known)
    return known
  }
}
