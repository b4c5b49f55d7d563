import { type JSX } from 'react'
import { type DialogProps, Modal } from './dialog.tsx'

/** A sheet from the lower edge on a phone, a panel at the end side from 1024 px. */
export function Drawer(props: DialogProps): JSX.Element {
  return <Modal tapFirst {...props} place="edge" />
}
