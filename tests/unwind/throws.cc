/* throws.cc - exceptions through several frames, vectors, strings, a map,
 * virtual functions and code that the compiler puts elsewhere since it is rare.
 */
#include <stdexcept>
#include <string>
#include <vector>
#include <map>
#include <algorithm>
#include <cstdio>
#include <csetjmp>
#define NI __attribute__((noinline))
struct D {
    int *p;
    D(int *q) : p(q)
    {
    }
    ~D()
    {
        ++*p;
    }
};
NI int thrower(int n, int *c)
{
    D d(c);
    if (n == 0)
        throw std::runtime_error("x");
    if (n % 3 == 0)
        throw n;
    return thrower(n - 1, c) + 1;
}
NI int catcher(int n, int *c)
{
    try {
        return thrower(n, c);
    } catch (const std::exception &e) {
        return (int)e.what()[0];
    } catch (int k) {
        return k;
    }
}
NI int vsum(const std::vector<int> &v)
{
    int s = 0;
    for (int x : v)
        s += x;
    return s;
}
struct B {
    virtual int f(int) = 0;
    virtual ~B()
    {
    }
};
struct C1 : B {
    int f(int x) override
    {
        return x + 1;
    }
};
struct C2 : B {
    int f(int x) override
    {
        return x * 2;
    }
};
NI int rare(int x)
{
    if (__builtin_expect(x == 77, 0)) {
        std::printf("rare %d\n", x);
        return vsum({1, 2, 3});
    }
    return x;
}
NI int rare2(int x)
{
    if (__builtin_expect(x % 50 == 0, 0)) {
        std::string s(20, 'a');
        for (int i = 0; i < x % 7 + 3; i++)
            s += std::to_string(i);
        if (s.size() == 1)
            throw 3;
        return (int)s.size();
    }
    return x;
}
int main()
{
    int c = 0, s = 0;
    for (int i = 0; i < 60; i++) {
        s += catcher(i % 7, &c);
        s += rare(i + 40) + rare2(i * 5);
    }
    std::map<std::string, int> m;
    for (int i = 0; i < 50; i++)
        m["k" + std::to_string(i * 7 % 13)] += i;
    for (auto &e : m)
        s += e.second;
    std::vector<int> v;
    for (int i = 0; i < 200; i++)
        v.push_back((i * 7919) % 1000);
    std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
    s += vsum(v);
    C1 a;
    C2 b;
    B *p[2] = {&a, &b};
    for (int i = 0; i < 20; i++)
        s += p[i & 1]->f(i);
    std::printf("%d %d\n", s, c);
}
