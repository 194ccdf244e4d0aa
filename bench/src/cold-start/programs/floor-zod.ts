/** The floor of programs whose schemas are Zod's: the bare loop, with the workload and its schemas loaded. */
import "../../workload.js";
import "../../stdio/programs/floor.js";
