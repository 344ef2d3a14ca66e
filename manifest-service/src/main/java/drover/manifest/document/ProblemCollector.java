package drover.manifest.document;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the problems of one file; local to one parsing. */
public final class ProblemCollector {
    /** Far more than anybody reads; a mutilated file must not fill the memory. */
    private static final int MOST = 100;

    private static final Comparator<ValidationProblem> FROM_THE_TOP =
            Comparator.<ValidationProblem>comparingInt(problem -> problem.location().line())
                    .thenComparingInt(problem -> problem.location().column());

    private final String file;
    private final List<ValidationProblem> found = new ArrayList<>();

    public ProblemCollector(String file) {
        this.file = file;
    }

    /** Adds a problem; those beyond the hundredth are dropped. */
    public void add(FieldLocation place, ProblemCode code, String message) {
        if (found.size() < MOST) {
            found.add(new ValidationProblem(file, place, code, message));
        }
    }

    /** What was found, from the top of the file down. */
    public List<ValidationProblem> sortedProblems() {
        return found.stream().sorted(FROM_THE_TOP).toList();
    }
}
