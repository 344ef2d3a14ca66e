package drover.system.fault;

/** One thing that is done to the mesh and, some time later, undone. */
public sealed interface Fault {
    /** SIGKILL; undone by starting it again. */
    record Killed(String process) implements Fault {
        @Override
        public String toString() {
            return process + " killed";
        }
    }

    /** SIGSTOP; undone by SIGCONT. */
    record Frozen(String process) implements Fault {
        @Override
        public String toString() {
            return process + " frozen";
        }
    }

    /** Connections are ended, and new ones at once. */
    record Cut(NetworkPath edge) implements Fault {
        @Override
        public String toString() {
            return edge + " cut";
        }
    }

    /** Nothing arrives in one direction until it is undone, and then all of it: what TCP does. */
    record Held(NetworkPath edge, Direction direction) implements Fault {
        @Override
        public String toString() {
            return edge + " holds " + direction;
        }
    }

    /**
     * What is sent in one direction is taken and lost. A connection that has lost something stays
     * mute for good, as if a firewall between had forgotten it: only new ones work afterwards.
     */
    record Lost(NetworkPath edge, Direction direction) implements Fault {
        @Override
        public String toString() {
            return edge + " loses " + direction;
        }
    }

    /** Every COMMIT is done, and its answer is lost with the connection (invariant B8). */
    record CommitsUnanswered(NetworkPath edge) implements Fault {
        @Override
        public String toString() {
            return edge + " hears of no COMMIT";
        }
    }

    /** Which of the two directions of a connection. */
    enum Direction {
        /** From whoever dialled. */
        QUESTIONS,
        /** To whoever dialled. */
        ANSWERS;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
