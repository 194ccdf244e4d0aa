/** The client and the user that the authorization server under test knows. */
export const CLIENT_ID = "referee";
export const USER = "user";
export const PASSWORD = "correct horse battery staple";
