package drover.manifest.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the problems of one file; local to one parsing. */
public final class Problems {
    /** Far more than anybody reads; a mutilated file must not fill the memory. */
    private static final int MOST = 100;

    private static final Comparator<Problem> FROM_THE_TOP =
            Comparator.<Problem>comparingInt(problem -> problem.place().line())
                    .thenComparingInt(problem -> problem.place().column());

    private final String file;
    private final List<Problem> found = new ArrayList<>();

    public Problems(String file) {
        this.file = file;
    }

    /** Adds a problem; those beyond the hundredth are dropped. */
    public void add(Place place, ProblemCode code, String message) {
        if (found.size() < MOST) {
            found.add(new Problem(file, place, code, message));
        }
    }

    /** What was found, from the top of the file down. */
    public List<Problem> found() {
        return found.stream().sorted(FROM_THE_TOP).toList();
    }
}
