//! The rules on small programs: what may go, what must stay, and what is left still verifies.

mod common;

use std::sync::Arc;

use common::{Dice, compile, program, skipped, solution_with};
use dwindle_jvm::{Detail, Program};
use dwindle_logic::ItemSet;

/// Whether the program may be reduced to what is left without these items and their parts.
fn may_lack(program: &Program, lacking: &[&str]) -> bool {
    let items = program.model().items();
    let mut kept = items.all();
    for name in lacking {
        let item = items.find(name).unwrap_or_else(|| {
            let all = items.all();
            let names: Vec<&str> = items.names(&all).collect();
            panic!("no item {name} in {names:#?}")
        });
        kept.remove(item);
    }
    // Parts follow their wholes in the list.
    for (id, item) in items.iter() {
        if item.parent.is_some_and(|parent| !kept.contains(parent)) {
            kept.remove(id);
        }
    }
    program.model().allows(&kept)
}

/// Whether keeping the first item makes the second stay, whatever choices there are.
fn drags(program: &Program, item: &str, other: &str) -> bool {
    let items = program.model().items();
    let start = items.find(item).unwrap_or_else(|| panic!("no item {item}"));
    let other = items.find(other).unwrap_or_else(|| panic!("no item {other}"));
    let mut dice = Dice(1234);
    (0..20).all(|_| solution_with(program.model(), vec![start.index()], &mut dice).contains(other))
}

fn with(source: &str, check: impl FnOnce(&Arc<Program>)) {
    match compile(source, "17") {
        Some(jar) => check(&program(&jar)),
        None => skipped("no Java compiler is installed"),
    }
}

#[test]
fn a_call_needs_one_of_the_declarations_on_the_way_up() {
    let source = "class C { void m() {} } class B extends C { void m() {} } class A extends B { void m() {} }
        class Main { void x(A a) { a.m(); } }";
    with(source, |program| {
        assert!(may_lack(program, &["A.m()V!code", "A.m()V"]));
        assert!(may_lack(program, &["A.m()V!code", "A.m()V", "B.m()V!code", "B.m()V"]));
        let all = ["A.m()V!code", "A.m()V", "B.m()V!code", "B.m()V", "C.m()V!code", "C.m()V"];
        assert!(!may_lack(program, &all));
        // Without its own and cut off from the others, A has no m.
        let cut = ["A.m()V!code", "A.m()V", "A<<B", "A.<init>()V", "A.<init>()V!code"];
        assert!(!may_lack(program, &cut));
        assert!(may_lack(program, &["Main.x(LA;)V!code"]));
    });
}

#[test]
fn a_class_with_objects_has_bodies_for_what_it_inherits_without_one() {
    let source =
        "interface I { void n(); } abstract class B implements I { } class A extends B implements I {
        public void n() {} }";
    with(source, |program| {
        let no_n = ["A.n()V", "A.n()V!code"];
        assert!(!may_lack(program, &no_n));
        // Either link alone still asks for it; without both, or without the method in I, nothing does.
        assert!(!may_lack(program, &["A.n()V", "A.n()V!code", "A<I"]));
        assert!(!may_lack(program, &["A.n()V", "A.n()V!code", "A<I", "I.n()V", "B<I"].as_slice()[..3]));
        assert!(may_lack(program, &["A.n()V", "A.n()V!code", "A<I", "B<I"]));
        assert!(may_lack(program, &["A.n()V", "A.n()V!code", "I.n()V"]));
        assert!(may_lack(program, &["A.n()V!code"]));
    });
}

#[test]
fn a_method_above_that_may_not_be_called_is_no_substitute() {
    let source = "class B { protected void n() {} } class A extends B { public void n() {} }
        interface I { void n(); } class C extends B implements I { public void n() {} }
        class L extends java.net.URLClassLoader { L() { super(null); } public void addURL(java.net.URL u) {} }
        class Main { void x(A a) { a.n(); } void y(L l) { l.addURL(null); } }";
    with(source, |program| {
        assert!(!may_lack(program, &["A.n()V"]));
        assert!(may_lack(program, &["A.n()V", "Main.x(LA;)V!code"]));
        assert!(!may_lack(program, &["C.n()V"]), "what implements a method of an interface is public");
        assert!(may_lack(program, &["C.n()V", "C<I"]));
        assert!(!may_lack(program, &["L.addURL(Ljava/net/URL;)V"]));
    });
}

#[test]
fn library_methods_without_a_body_are_obligations_too() {
    let source = "class A implements Runnable { public void run() {} public void other() {} }";
    with(source, |program| {
        assert!(!may_lack(program, &["A.run()V", "A.run()V!code"]));
        assert!(may_lack(program, &["A.run()V", "A.run()V!code", "A<java/lang/Runnable"]));
        assert!(may_lack(program, &["A.other()V", "A.other()V!code"]));
    });
}

#[test]
fn either_of_two_paths_to_a_supertype_is_enough() {
    let source = "interface I {} class B implements I {} class A extends B implements I {}
        class Main { static void take(I i) {} static void x() { take(new A()); } }";
    with(source, |program| {
        assert!(may_lack(program, &["A<I"]));
        assert!(may_lack(program, &["B<I"]));
        assert!(!may_lack(program, &["A<I", "B<I"]));
    });
}

#[test]
fn a_class_literal_keeps_all_supertypes() {
    let source = "class B {} interface I {} class A extends B implements I {}
        class Main { Object x() { return A.class; } }";
    with(source, |program| {
        assert!(drags(program, "Main.x()Ljava/lang/Object;!code", "A<<B"));
        assert!(drags(program, "Main.x()Ljava/lang/Object;!code", "A<I"));
    });
}

#[test]
fn casts_between_classes_need_a_way_and_casts_to_interfaces_none() {
    let source = "class B {} class A extends B {} interface I {} class C implements I {}
        class Main { A down(B b) { return (A) b; } I to(A a) { return (I) (Object) a; } I c(B b) { return (I) b; } }";
    with(source, |program| {
        assert!(drags(program, "Main.down(LB;)LA;!code", "A<<B"));
        assert!(drags(program, "Main.c(LB;)LI;!code", "class I"));
        assert!(!drags(program, "Main.c(LB;)LI;!code", "C<I"));
    });
}

#[test]
fn a_constructor_body_goes_when_the_one_above_can_be_called_without_arguments() {
    let source = "class P { P() {} } class Q { Q(int i) {} } class A extends P { A(int i) { System.gc(); } }
        class B extends Q { B() { super(1); } }";
    with(source, |program| {
        assert!(may_lack(program, &["A.<init>(I)V!code"]));
        assert!(!may_lack(program, &["A.<init>(I)V!code", "P.<init>()V", "P.<init>()V!code"]));
        assert!(!may_lack(program, &["B.<init>()V!code"]));
        assert!(may_lack(program, &["B.<init>()V!code", "B<<Q"]));
        assert!(!may_lack(program, &["B<<Q"]));
    });
}

#[test]
fn final_fields_need_the_bodies_that_assign_them() {
    let source = "class A { final int f; int g; A() { f = 1; } A(int i) { f = i; } }";
    with(source, |program| {
        assert!(!may_lack(program, &["A.<init>()V!code"]));
        assert!(may_lack(program, &["A.<init>()V!code", "A.f:I!final"]));
        assert!(may_lack(program, &["A.g:I"]));
    });
}

#[test]
fn enums_and_records_keep_their_shape() {
    let source = "enum E { X, Y } record R(int a, String b) {} class Main { R r; E e; }";
    with(source, |program| {
        for item in ["E<<java/lang/Enum", "E.values()[LE;", "E.$VALUES:[LE;", "E.X:LE;"] {
            assert!(drags(program, "class E", item), "{item}");
        }
        for item in [
            "R<<java/lang/Record",
            "R.a:I!final",
            "R.b()Ljava/lang/String;",
            "R.<init>(ILjava/lang/String;)V",
        ] {
            assert!(drags(program, "class R", item), "{item}");
        }
        assert!(drags(program, "class R", "R.toString()Ljava/lang/String;"), "Record has it without a body");
    });
}

#[test]
fn lambdas_go_with_the_code_that_makes_them() {
    let source =
        "class Main { Runnable used() { return () -> System.gc(); } Runnable other() { return () -> {}; } }";
    with(source, |program| {
        let [used, other] = ["Main.used()Ljava/lang/Runnable;!code", "Main.other()Ljava/lang/Runnable;!code"];
        assert!(
            drags(program, used, "Main!bootstrap 0") && drags(program, used, "Main.lambda$used$0()V!code")
        );
        assert!(!drags(program, used, "Main!bootstrap 1"));
        assert!(may_lack(
            program,
            &[other, "Main!bootstrap 1", "Main.lambda$other$1()V", "Main.lambda$other$1()V!code"]
        ));
        assert!(!may_lack(program, &["Main.lambda$used$0()V!code"]));
    });
}

#[test]
fn inner_classes_need_their_outer_ones_and_anonymous_ones_the_code_around_them() {
    let source = "class Outer { class Inner {} Object x() { return new Object() {}; } void y() {} }";
    with(source, |program| {
        assert!(drags(program, "class Outer$Inner", "class Outer"));
        assert!(drags(program, "class Outer$1", "Outer.x()Ljava/lang/Object;!code"));
        assert!(!drags(program, "class Outer", "class Outer$Inner"));
    });
}

#[test]
fn fine_items_go_alone_and_throws_clauses_stay_with_their_bodies() {
    let source = "class X extends Exception {} class G<T> { T t; } class A { @Deprecated G<X> g; void m() throws X { throw new X(); }
        void n() throws X {} void c() { try { n(); } catch (X x) {} } }";
    let Some(jar) = compile(source, "17") else {
        return skipped("no Java compiler is installed");
    };
    let program = common::program_in(&jar, Detail::Fine);
    assert!(may_lack(
        &program,
        &["A!SourceFile", "A.m()V!code!LineNumberTable", "A.g:LG;!RuntimeVisibleAnnotations"]
    ));
    assert!(!may_lack(&program, &["A.m()V!Exceptions"]), "the body throws");
    assert!(may_lack(&program, &["A.m()V!Exceptions", "A.m()V!code"]));
    assert!(!may_lack(&program, &["A.n()V!Exceptions", "A.n()V!code"]), "a caller catches");
    assert!(!may_lack(&program, &["G!Signature"]), "a field says G<X>");
    let types = "G.<init>()V!code!LocalVariableTypeTable";
    let all = ["G!Signature", "G.t:Ljava/lang/Object;!Signature", "A.g:LG;!Signature", types];
    assert!(may_lack(&program, &all));
    assert!(!may_lack(&program, &[all[0], all[2], all[3]]), "a field of G says T");
    let items = program.model().items();
    let mut kept = items.all();
    for name in ["A!SourceFile", "A.m()V!code!LineNumberTable", "A.m()V!code!LocalVariableTable"] {
        kept.remove(items.find(name).expect("it is there"));
    }
    let bytes = |set: &ItemSet| program.candidate(set.clone()).size();
    let lost: u64 = items.weight(&items.all()) - items.weight(&kept);
    assert!(bytes(&kept) + lost <= bytes(&items.all()), "attributes and the constants they used are gone");
}

#[test]
fn statements_go_with_what_they_need_and_final_fields_keep_theirs() {
    let source =
        "class B {} class C { void c() {} } class A { final int size; int other; A() { size = 1; other = 2; }
        int m(Object o) { int n = 0; new C().c(); if (o instanceof B) n = 3;
            try { n = o.hashCode(); } catch (IllegalStateException e) { return -1; } return n; } }";
    let Some(jar) = compile(source, "17") else {
        return skipped("no Java compiler is installed");
    };
    let program = common::program_in(&jar, Detail::Fine);
    let items = program.model().items();
    let cuts = |of: &str| -> Vec<&str> {
        let names = items.iter().map(|(_, item)| item.name.as_str());
        names
            .filter(|name| name.starts_with(of) && (name.contains("!statement") || name.contains("!handler")))
            .collect()
    };
    let constructor = cuts("A.<init>");
    let [size, other] = constructor[..] else { panic!("{constructor:?}") };
    assert!(may_lack(&program, &[other]) && !may_lack(&program, &[size]));
    assert!(may_lack(&program, &[size, "A.size:I!final"]));
    let body = cuts("A.m(");
    let handler = *body.iter().find(|name| name.contains("!handler")).expect("there is one");
    assert!(may_lack(&program, &[handler]));
    // The body needs neither class without the statements that name them.
    let code = items.find("A.m(Ljava/lang/Object;)I!code").expect("it is there");
    let kept = solution_with(program.model(), vec![code.index()], &mut Dice(1));
    for class in ["class B", "class C"] {
        assert!(!kept.contains(items.find(class).expect("it is there")), "{class}");
        assert!(body.iter().any(|name| drags(&program, name, class)), "{class}");
    }
}

#[test]
fn default_methods_become_abstract_where_nobody_needs_their_bodies() {
    let source = "interface I { default void m() {} default void n() {} void o(); default void s() {} }
        class A implements I { public void m() {} public void o() {} public void s() { I.super.s(); } }
        interface F { void run(); default void more() {} } class U { F f() { return () -> {}; } }
        interface J extends I { default void n() {} }";
    let Some(jar) = compile(source, "17") else {
        return skipped("no Java compiler is installed");
    };
    let program = common::program_in(&jar, Detail::Fine);
    assert!(may_lack(&program, &["I.m()V!default"]), "A has its own");
    assert!(!may_lack(&program, &["I.n()V!default"]), "A has none");
    assert!(may_lack(&program, &["I.n()V!default", "A<I", "A.s()V!code"]));
    assert!(!may_lack(&program, &["I.s()V!default"]), "it is called");
    assert!(!may_lack(&program, &["F.more()V!default"]), "there is a lambda");
    assert!(may_lack(&program, &["F.more()V"]));
    assert!(!may_lack(&program, &["J.n()V!default"]), "it would hide the one above");
}

#[test]
fn random_solutions_of_a_busy_program_come_back_as_the_classes_they_keep() {
    for release in ["17", "8"] {
        let source = if release == "8" {
            "class A { int x(Object o) { Runnable r = () -> {}; return o == r ? 1 : 2; } }"
        } else {
            common::BUSY
        };
        let Some(jar) = compile(source, release) else {
            return skipped("no Java compiler is installed");
        };
        let program = common::program_in(&jar, Detail::Fine);
        assert!(program.notices().is_empty(), "{:?}", program.notices());
        let mut dice = Dice(7);
        for _ in 0..50 {
            let kept = common::random_solution(program.model(), &mut dice, 12);
            let archive = common::open(&program.render(&kept)[0].bytes).expect("what we write can be read");
            assert_eq!(archive.entries.len(), program.class_count(&kept));
            assert!(archive.notices.is_empty(), "{:?}", archive.notices);
        }
    }
}

#[test]
fn every_strategy_keeps_what_the_test_wants_and_gbr_keeps_no_more() {
    let source = "class P {} class A extends P { void bug() { help(); } void help() {} void other() {} }
        class Q extends A { A a; void more() { a.other(); } } class R { void use(Q q) { q.more(); } }";
    with(source, |program| {
        let items = program.model().items();
        let wanted = items.find("A.bug()V!code").expect("it is there");
        for (name, strategy, _) in dwindle_jvm::Strategy::named() {
            let mut calls = 0;
            let mut probe = |kept: &ItemSet| {
                calls += 1;
                kept.contains(wanted)
            };
            let reduction = dwindle_jvm::reduce(program, strategy, &mut probe).expect("nobody stops it");
            assert!(reduction.kept.contains(wanted), "{name}");
            let left: Vec<&str> = items.names(&reduction.kept).collect();
            match name {
                "default" | "gbr" | "gbr-published" | "lossy-first" | "lossy-last" => {
                    assert_eq!(left, ["class A", "A.bug()V", "A.bug()V!code", "A.help()V"], "{name}");
                }
                "ddmin" => assert_eq!(program.class_count(&reduction.kept), 1, "{left:?}"),
                _ => assert_eq!(program.class_count(&reduction.kept), 2, "{name}: {left:?}"),
            }
            assert!(calls < 40, "{name}: {calls} calls");
        }
    });
}
