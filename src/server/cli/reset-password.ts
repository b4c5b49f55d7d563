import { readConfig } from '../config.ts'
import { askServer, controlPath } from '../control-socket.ts'
import * as resetLink from '../core/accounts/recovery/reset-link.ts'
import { openForOperator } from './operator.ts'
import { CommandError, type Outcome } from './output.ts'

export async function resetPassword(search: string): Promise<Outcome> {
  if (search === '')
    throw new CommandError('Please name a restaurant or its owner’s e-mail address', { misused: true })
  const made = await createLink(search)
  switch (made.kind) {
    case 'made':
      return {
        text: `Open this within 30 minutes to set a new password for the owner of ${made.restaurantName}. It works once.\n\n${made.link}\n`,
        json: { restaurant: made.restaurantName, link: made.link },
      }
    case 'unknown':
      throw new CommandError(`There is no restaurant and no owner's e-mail address "${search}"`)
    case 'several':
      throw new CommandError(
        `Several restaurants belong to "${search}". Please name one of them:\n${made.restaurantNames.map((name) => `  ${name}`).join('\n')}`,
      )
  }
}

async function createLink(search: string): Promise<resetLink.ResetLink> {
  const config = readConfig()
  const path = controlPath(config.databaseUrl)
  const answer = path === null ? undefined : await askServer(path, 'reset-password', search)
  if (answer) return answer
  await using operator = await openForOperator(config)
  return resetLink.create(operator.ctx, config.publicUrl, search)
}
