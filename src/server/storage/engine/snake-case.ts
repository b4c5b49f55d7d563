import {
  CamelCasePlugin,
  type DatabaseIntrospector,
  type Kysely,
  type PluginTransformQueryArgs,
  PostgresDialect,
  PostgresQueryCompiler,
  type RootOperationNode,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely'
import { OwnSchemaIntrospector } from './postgres/own-schema.ts'
import { TableNamesIntrospector } from './sqlite/table-names.ts'

const snakeCaseCache = new Map<string, string>()

/** `serviceType` in the code is `service_type` in the tables. */
function toSnakeCase(identifier: string): string {
  const name =
    snakeCaseCache.get(identifier) ?? identifier.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
  snakeCaseCache.set(identifier, name)
  return name
}

/** `service_type` in the tables is `serviceType` in the code. */
export const toCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/gu, (_match, letter: string) => letter.toUpperCase())

class SqliteCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(toSnakeCase(identifier))
  }
}

class PostgresCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(toSnakeCase(identifier))
  }
}

export class SnakeCaseSqliteDialect extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteCompiler()
  }

  override createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new TableNamesIntrospector(db)
  }
}

export class SnakeCasePostgresDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new PostgresCompiler()
  }

  override createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new OwnSchemaIntrospector(db)
  }
}

/** Translates only the rows: the compilers above translate the names in queries without copying each query. */
export class CamelCaseResults extends CamelCasePlugin {
  override transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node
  }
}
