/** Opens a file after it has used a database in memory. */
import {
  isOpen,
  openDatabase,
} from "../../../examples/bookshop/store/database.ts";

console.log(isOpen());
openDatabase("late.db");
