import { type ComponentProps, createElement, type JSX } from 'react'

type IconData = {
  name: string
  node: readonly (readonly [tag: string, attributes: Record<string, string>])[]
}
type IconProps = ComponentProps<'svg'> & { size?: number }

/** Takes the place of lucide-react's own on the guest page, where its options would weigh more than the icons. */
function createPlainIcon({ name, node }: IconData) {
  return ({ size = 24, className = '', ...attributes }: IconProps): JSX.Element =>
    createElement(
      'svg',
      {
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        className: `lucide lucide-${name} ${className}`.trim(),
        ...attributes,
      },
      ...node.map(([tag, each]) => createElement(tag, each)),
    )
}

export { createPlainIcon as default }
