import { type ComponentProps, type JSX } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  plain: 'bg-plate-2 text-text',
  outline: 'border border-rule-strong text-text',
  bright: 'bg-text text-ground',
  action: 'bg-action text-on-action',
  done: 'bg-done text-on-action',
  late: 'bg-late text-on-action',
}

interface BadgeProps extends Omit<ComponentProps<'span'>, 'className'> {
  tone?: keyof typeof tones
  /** Large is for the one figure of a page, such as '5 Active'. */
  size?: 'small' | 'large'
}

export function Badge({ tone = 'plain', size = 'small', ...rest }: BadgeProps): JSX.Element {
  return (
    <span
      {...rest}
      className={classNames(
        'inline-flex max-w-full items-center gap-1',
        // A table name may be wider than a phone.
        size === 'small'
          ? 'rounded-control px-3 py-0.5 text-sm font-bold wrap-anywhere'
          : 'rounded-full px-4 py-1 font-display text-xl font-bold whitespace-nowrap',
        tones[tone],
      )}
    />
  )
}
