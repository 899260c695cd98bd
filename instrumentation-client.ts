import { listenToSteps } from "@/components/ui/leave-safely";

// Next runs this file in the browser before its router starts.
listenToSteps();
