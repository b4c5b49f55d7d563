/** FIN, and the opcode of a text message. */
const wholeText = 0x81

/** A text message as it goes over a WebSocket. A server masks nothing, so every receiver gets the same bytes. */
export function toTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const lengthBytes = length < 126 ? 0 : length < 2 ** 16 ? 2 : 8
  const frame = Buffer.allocUnsafe(2 + lengthBytes + length)
  frame[0] = wholeText
  if (lengthBytes === 0) frame[1] = length
  else if (lengthBytes === 2) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, 2 + lengthBytes)
  return frame
}
