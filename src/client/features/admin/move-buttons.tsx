import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import type { JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { IconButton } from '../../ui/button.tsx'

type MoveButtonsProps = {
  id: string
  name: string
  isFirst: boolean
  isLast: boolean
  onMove: (by: 1 | -1) => void
}

/** Moves something up or down by one. Whoever gives it back its focus finds the button by `data-move`. */
export const MoveButtons = ({ id, name, isFirst, isLast, onMove }: MoveButtonsProps): JSX.Element => (
  <>
    <IconButton
      label={t('Move {name} up', { name })}
      size={44}
      data-move={`${id} -1`}
      disabled={isFirst}
      onClick={() => onMove(-1)}
    >
      <ArrowUp aria-hidden size={18} />
    </IconButton>
    <IconButton
      label={t('Move {name} down', { name })}
      size={44}
      data-move={`${id} 1`}
      disabled={isLast}
      onClick={() => onMove(1)}
    >
      <ArrowDown aria-hidden size={18} />
    </IconButton>
  </>
)
