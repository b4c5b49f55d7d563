import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGenerator } from 'ts-json-schema-generator'

/**
 * Writes JSON schemas for the requests of the installed version of Stripe's package, generated from its own types:
 *   node scripts/stripe-schemas.ts node_modules/.cache/tableside/stripe.json
 * The tests run it once per version of the package.
 */
const types = [
  'CustomerCreateParams',
  'CustomerRetrieveParams',
  'CustomerUpdateParams',
  'PriceListParams',
  'PriceCreateParams',
  'ProductRetrieveParams',
  'ProductCreateParams',
  'SetupIntentCreateParams',
  'SetupIntentRetrieveParams',
  'SubscriptionListParams',
  'SubscriptionCreateParams',
  'SubscriptionRetrieveParams',
  'SubscriptionUpdateParams',
  'SubscriptionCancelParams',
  'SubscriptionScheduleCreateParams',
  'SubscriptionScheduleRetrieveParams',
  'SubscriptionScheduleUpdateParams',
  'SubscriptionScheduleReleaseParams',
  'BillingPortal.SessionCreateParams',
  'WebhookEndpointListParams',
  'WebhookEndpointCreateParams',
]

const [, , target] = process.argv
if (!target) throw new Error('Usage: node scripts/stripe-schemas.ts <output file>')
const folder = dirname(target)
await mkdir(folder, { recursive: true })

const nameOf = (type: string) => `Sent${type.replace('.', '')}`
const aliases = join(folder, `stripe-params-${process.pid}.ts`)
try {
  const lines = types.map((type) => `export type ${nameOf(type)} = Stripe.${type}`)
  await writeFile(aliases, `import type Stripe from 'stripe'\n${lines.join('\n')}\n`)
  const generator = createGenerator({
    path: aliases,
    tsconfig: join(import.meta.dirname, '../tsconfig.json'),
    skipTypeCheck: true,
    additionalProperties: false,
    expose: 'none',
  })
  const schemas = Object.fromEntries(
    types.map((type) => [type, withoutOpenEnums(generator.createSchema(nameOf(type)))]),
  )
  const temporaryFile = `${target}.${process.pid}`
  await writeFile(temporaryFile, JSON.stringify(schemas))
  await rename(temporaryFile, target)
} finally {
  await rm(aliases, { force: true })
}

/** The types leave every enum open for future values; what we send must be a known one. */
function withoutOpenEnums(node: unknown): unknown {
  if (Array.isArray(node)) return node.filter((item) => !isOtherString(item)).map(withoutOpenEnums)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => key !== 'description' || typeof value !== 'string')
      .map(([key, value]) => [key, withoutOpenEnums(value)]),
  )
}

function isOtherString(node: unknown): boolean {
  return (
    typeof node === 'object' &&
    node !== null &&
    'description' in node &&
    typeof node.description === 'string' &&
    node.description.includes('`OtherString`')
  )
}
