import { type ServiceRequest, serviceTypeLabels } from '#contract/requests/requests.ts'
import { ownText } from '#contract/texts/languages.ts'

/** What a request is called on paper and in a terminal. */
export function labelOf({ serviceType, need, choice }: ServiceRequest): string {
  const label = need ? ownText(need.name) : serviceTypeLabels[serviceType]
  return choice ? `${label} (${ownText(choice.name)})` : label
}

const escape = 0x1b
const group = 0x1d
const reset = [escape, 0x40]
const latin1 = [escape, 0x74, 16]
const centre = [escape, 0x61, 1]
const large = [group, 0x21, 0x11]
const normal = [group, 0x21, 0x00]
const feedAndCut = [group, 0x56, 0x42, 0x03]

/** One request as a receipt printer with ESC/POS prints it, to be put into its queue as it is. */
export function receiptOf(request: ServiceRequest, restaurant: string): Buffer {
  const time = new Date(request.timestamp).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return Buffer.concat([
    Buffer.from([...reset, ...latin1, ...centre]),
    line(restaurant),
    Buffer.from(large),
    line(`Table ${request.tableNumber}`),
    line(labelOf(request)),
    Buffer.from(normal),
    ...(request.note === undefined ? [] : [line(request.note)]),
    line(time),
    Buffer.from(feedAndCut),
  ])
}

/** In Windows-1252, as far as the printer's page 16 has it; control characters could change its settings. */
function line(text: string): Buffer {
  const printable = text.normalize('NFC').replaceAll(/\p{Cc}/gu, ' ')
  const bytes = Array.from(printable, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x100 && !(code >= 0x80 && code < 0xa0) ? code : 0x3f
  })
  return Buffer.from([...bytes, 0x0a])
}
