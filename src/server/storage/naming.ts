import {
  CamelCasePlugin,
  type PluginTransformQueryArgs,
  PostgresDialect,
  PostgresQueryCompiler,
  type RootOperationNode,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely'

const known = new Map<string, string>()

/** `serviceType` in our code is `service_type` in the tables. */
function inTables(identifier: string): string {
  const name =
    known.get(identifier) ?? identifier.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
  known.set(identifier, name)
  return name
}

class SqliteCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(inTables(identifier))
  }
}

class PostgresCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(inTables(identifier))
  }
}

export class SqliteNames extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteCompiler()
  }
}

export class PostgresNames extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new PostgresCompiler()
  }
}

/** Translates rows only: the compilers above write the names, where the plugin's own way copies every query. */
export class CamelCaseRows extends CamelCasePlugin {
  override transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node
  }
}
