export const GET = (): Response =>
  Response.redirect("http://localhost/elsewhere", 307);
