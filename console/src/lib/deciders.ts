/** Who may decide a call, as a rule of the policy says. @param roles empty or absent: any */
export function decidersOf({
  roles = [],
  notOwner = false,
}: {
  readonly roles?: readonly string[];
  readonly notOwner?: boolean;
}): string {
  const who = roles.length === 0 ? 'whoever may decide approvals' : `somebody with the role ${roles.join(' or ')}`;
  return notOwner ? `${who}, but not the owner of the run nor who started it` : who;
}
