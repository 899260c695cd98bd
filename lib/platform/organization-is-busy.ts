/** The organization's other changes have used all connections that it may use, for too long. */
export class OrganizationIsBusy extends Error {
  constructor() {
    super("the organization's other changes use all connections that it may use");
  }
}
