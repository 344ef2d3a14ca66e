package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.List;

/** The variables that are visible, innermost last. */
final class VariableStack {
    private final List<String> names = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    VariableStack(Object root) {
        declare("$", root);
    }

    int mark() {
        return names.size();
    }

    void returnTo(int mark) {
        names.subList(mark, names.size()).clear();
        values.subList(mark, values.size()).clear();
    }

    void declare(String name, Object value) {
        names.add(name);
        values.add(value);
    }

    void assign(Position at, String name, Object value) {
        values.set(find(at, name), value);
    }

    Object value(Position at, String name) {
        return values.get(find(at, name));
    }

    private int find(Position at, String name) {
        int found = names.lastIndexOf(name);
        if (found < 0) { // declared in a pipeline that is still being computed
            throw TemplateError.evaluation(at, "The variable '" + name + "' has no value yet.");
        }
        return found;
    }
}
