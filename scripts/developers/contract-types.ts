import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  API,
  type Checker,
  type Project,
  type Symbol,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync'

export type JsonSchema = { [key: string]: unknown }

/** What the server says, by the contract's types, and what the contract's comments say about it. */
export type ContractTypes = {
  operations: Record<string, { description?: string; reply?: JsonSchema }>
  /** By the type of the message. */
  serverMessages: Record<string, JsonSchema>
  messageComments: Record<string, string>
  /** All that the others refer to, by name. */
  schemas: Record<string, JsonSchema>
}

const root = join(import.meta.dirname, '../..')
const contract = join(root, 'src/contract')

/**
 * Most replies have no schema in the contract, because pages trust the server. So the compiler is asked for their
 * types, and for the comments beside operations and fields.
 */
export function readContractTypes(): ContractTypes {
  const project = join(root, 'tsconfig.contract.json')
  const options = JSON.stringify({ extends: './tsconfig.json', include: ['src/contract'] })
  const compiler = new API({
    cwd: root,
    // The whole of the code would take several seconds.
    fs: {
      fileExists: (path) => (path === project ? true : undefined),
      readFile: (path) => (path === project ? options : undefined),
    },
  })
  try {
    const [opened] = compiler.updateSnapshot({ openProjects: [project] }).getProjects()
    if (!opened) throw new Error('The contract could not be read')
    return new Reader(opened).read()
  } finally {
    compiler.close()
  }
}

class Reader {
  readonly #checker: Checker
  readonly #project: Project
  /** The contract's names, by the id of the type. */
  readonly #names = new Map<number, string>()
  readonly #types: Record<string, JsonSchema> = {}

  constructor(project: Project) {
    this.#project = project
    this.#checker = project.checker
  }

  read(): ContractTypes {
    for (const file of readdirSync(contract, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^(?!routes)[\w/\\-]+\.ts$/u.test(name),
    ))
      for (const symbol of this.#exportsOf(join(contract, file))) this.#rememberName(symbol)
    const operations: ContractTypes['operations'] = {}
    for (const group of this.#exportsOf(join(contract, 'routes/all.ts')))
      for (const route of this.#propertiesOf(this.#typeOf(group))) {
        const description = route.getDocumentationComment(this.#checker)
        const reply = this.#replyOf(this.#typeOf(route))
        operations[`${group.name}.${route.name}`] = {
          ...(description && { description }),
          ...(reply && { reply: this.#schemaOf(reply) }),
        }
      }
    const serverMessages = this.#readServerMessages()
    return {
      operations,
      serverMessages,
      messageComments: readMessageComments(),
      schemas: sortedByKey(this.#types),
    }
  }

  #readServerMessages(): ContractTypes['serverMessages'] {
    const union = this.#exportsOf(join(contract, 'live.ts')).find(
      ({ name, flags }) => name === 'ServerMessage' && flags & SymbolFlags.TypeAlias,
    )
    const type = union && this.#checker.getDeclaredTypeOfSymbol(union)
    if (!type?.isUnionType()) throw new Error('ServerMessage must be a union')
    return Object.fromEntries(
      type.getTypes().map((message) => {
        const name = this.#property(message, 'type')
        if (!name?.isStringLiteralType()) throw new Error('A live message needs a type')
        return [name.value, this.#inlined(message)]
      }),
    )
  }

  #exportsOf(path: string): readonly Symbol[] {
    const file = this.#project.program.getSourceFile(path)
    const module = file && this.#checker.getSymbolAtLocation(file)
    return module ? this.#checker.getExportsOfModule(module) : []
  }

  #rememberName(symbol: Symbol): void {
    if (!(symbol.flags & SymbolFlags.TypeAlias)) return
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol)
    if (
      type.flags & (TypeFlags.Object | TypeFlags.Intersection | TypeFlags.Union) &&
      !this.#names.has(type.id)
    )
      this.#names.set(type.id, symbol.name)
  }

  /** A schema carries the type of its output. */
  #replyOf(route: Type): Type | undefined {
    const reply = this.#property(route, 'reply')
    const types = reply && this.#property(reply, '~types')
    return types && this.#property(this.#checker.getNonNullableType(types) ?? types, 'output')
  }

  #property(type: Type, name: string): Type | undefined {
    const symbol = this.#propertiesOf(type).find((property) => property.name === name)
    return symbol && this.#typeOf(symbol)
  }

  #propertiesOf(type: Type): readonly Symbol[] {
    return this.#checker.getPropertiesOfType(type)
  }

  #typeOf(symbol: Symbol): Type {
    const type = this.#checker.getTypeOfSymbol(symbol)
    if (!type) throw new Error(`${symbol.name} has no type`)
    return type
  }

  #schemaOf(type: Type): JsonSchema {
    const name = this.#names.get(type.id)
    if (name === undefined) return this.#inlined(type)
    if (!(name in this.#types)) {
      this.#types[name] = {}
      this.#types[name] = this.#inlined(type)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  #inlined(type: Type): JsonSchema {
    const { flags } = type
    if (flags & TypeFlags.AnyOrUnknown) return {}
    if (flags & TypeFlags.Null) return { type: 'null' }
    if (type.isLiteralType()) return { const: type.value }
    if (flags & TypeFlags.String) return { type: 'string' }
    if (flags & TypeFlags.TemplateLiteral) return { type: 'string' }
    if (flags & TypeFlags.Number) return { type: 'number' }
    if (flags & TypeFlags.Boolean) return { type: 'boolean' }
    if (type.isUnionType()) return this.#union(type.getTypes())
    if (this.#checker.isTupleType(type) && type.isTypeReference()) {
      const items = this.#checker.getTypeArguments(type)
      return { type: 'array', prefixItems: items.map((item) => this.#schemaOf(item)), minItems: items.length }
    }
    if (this.#checker.isArrayType(type) && type.isTypeReference()) {
      const [items] = this.#checker.getTypeArguments(type)
      return { type: 'array', items: items ? this.#schemaOf(items) : {} }
    }
    if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return this.#object(type)
    throw new Error(`${this.#checker.typeToString(type)} has no JSON schema`)
  }

  #union(types: readonly Type[]): JsonSchema {
    const given = types.filter(({ flags }) => !(flags & TypeFlags.Undefined))
    const booleans = given.filter(({ flags }) => flags & TypeFlags.BooleanLiteral)
    const isBoolean = booleans.length === 2
    const literals = given.flatMap((type) =>
      type.isLiteralType() && !(isBoolean && booleans.includes(type)) ? [type.value] : [],
    )
    const others = given.filter((type) => !type.isLiteralType()).map((type) => this.#schemaOf(type))
    const schemas = [
      ...(literals.length === 1 ? [{ const: literals[0] }] : []),
      ...(literals.length > 1 ? [{ enum: literals }] : []),
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...others,
    ]
    return schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas }
  }

  #object(type: Type): JsonSchema {
    const properties = this.#propertiesOf(type)
    const [index] = this.#checker.getIndexInfosOfType(type)
    const required = properties.filter(({ flags }) => !(flags & SymbolFlags.Optional)).map(({ name }) => name)
    return {
      type: 'object',
      ...(properties.length > 0 && {
        properties: Object.fromEntries(properties.map((property) => [property.name, this.#field(property)])),
      }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: this.#schemaOf(index.valueType) }),
    }
  }

  #field(property: Symbol): JsonSchema {
    const description = property.getDocumentationComment(this.#checker)
    return { ...this.#schemaOf(this.#typeOf(property)), ...(description && { description }) }
  }
}

/** The comment before each message of `live.ts`. */
function readMessageComments(): Record<string, string> {
  const source = readFileSync(join(contract, 'live.ts'), 'utf8')
  const commented = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*(?:client|server)Message\('([\w-]+)'/gu
  return Object.fromEntries(
    [...source.matchAll(commented)].map(([, comment = '', name = '']) => [
      name,
      comment.replaceAll(/\s*\n\s*\*\s*/gu, ' ').trim(),
    ]),
  )
}

const sortedByKey = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
